import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "@jest/globals";
import type { Body, Client } from "../support/client.ts";
import { openConversation, send, walk, type Conversation } from "../support/conversations.ts";
import { seededRandom } from "../support/seed.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

const WRITERS = 5;
const READERS = 4;
const EACH_SENDS = 30;

/** The messages that a reader has read, oldest first, and the time at which the read began. */
type Read = { readonly beganMs: number; readonly ids: readonly string[] };
type Write = { readonly beganMs: number; readonly answeredMs: number; readonly message: Body };

/** Reads all messages in pages, from the newest to the oldest. */
async function readBack(reader: Client, conversation: Conversation, limit: number): Promise<Read> {
  const beganMs = performance.now();
  const items = await walk(reader, `${conversation.messages}?limit=${limit}`, "before");
  return { beganMs, ids: items.map((it) => it.id as string).reverse() };
}

describe("GET /conversations/{conversationId}/messages with concurrent writers and readers", () => {
  it("returns to every reader a prefix of the final order that contains every message acknowledged before the read", async () => {
    const random = seededRandom("list-append check");
    const members = await Promise.all(Array.from({ length: WRITERS + READERS }, () => service.as()));
    const conversation = await openConversation(members[0]!, members);
    const followFrom = (await members[0]!("GET", conversation.messages)).body.page.prev_cursor as string;
    const writes: Write[] = [];
    const reads: Read[] = [];
    let writing = true;

    const write = async (writer: Client) => {
      for (let count = 1; count <= EACH_SENDS; count++) {
        const beganMs = performance.now();
        const { status, body } = await send(writer, conversation, `Message ${count}`);
        expect(status).toBe(201);
        writes.push({ beganMs, answeredMs: performance.now(), message: body });
        await delay(random(4));
      }
    };
    const read = async (reader: Client) => {
      while (writing) reads.push(await readBack(reader, conversation, 1 + random(100)));
    };
    /** Polls with `after`. All messages received so far count as a read too. */
    const follow = async (reader: Client) => {
      const ids: string[] = [];
      for (let cursor = followFrom, wasEmpty = false; writing || !wasEmpty;) {
        const beganMs = performance.now();
        const { body } = await reader("GET", `${conversation.messages}?limit=${1 + random(10)}&after=${cursor}`);
        cursor = body.page.prev_cursor;
        wasEmpty = body.data.length === 0;
        ids.push(...body.data.map((it: Body) => it.id).reverse());
        // Only an empty page proves that the reader has all messages whose 201 came before.
        reads.push({ beganMs: wasEmpty ? beganMs : 0, ids: [...ids] });
      }
      return ids;
    };

    const following = [follow(members[WRITERS]!), follow(members[WRITERS + 1]!)];
    const reading = members.slice(WRITERS + 2).map(read);
    await Promise.all(members.slice(0, WRITERS).map(write));
    writing = false;
    await Promise.all(reading);
    const followed = await Promise.all(following);

    const final = (await readBack(members[0]!, conversation, 100)).ids;
    expect(final).toHaveLength(WRITERS * EACH_SENDS);
    for (const ids of followed) expect(ids).toEqual(final);
    for (const { ids } of reads) expect(ids).toEqual(final.slice(0, ids.length));
    // A read has every message whose 201 came before it began. A message sent after another's 201 has a higher sequence.
    for (const { beganMs, ids } of reads) {
      const answered = writes.filter((it) => it.answeredMs < beganMs).map((it) => it.message.sequence as number);
      expect(ids.length).toBeGreaterThanOrEqual(Math.max(0, ...answered));
    }
    for (const later of writes) {
      for (const earlier of writes)
        if (earlier.answeredMs < later.beganMs) expect(earlier.message.sequence).toBeLessThan(later.message.sequence);
    }
    for (const { message } of writes) expect(final[message.sequence - 1]).toBe(message.id);
    process.stderr.write(
      `list-append check: ${writes.length} messages of ${WRITERS} writers, ${reads.length} reads of ${READERS} readers\n`,
    );
  }, 120_000);
});
