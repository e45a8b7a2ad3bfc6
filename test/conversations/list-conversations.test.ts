import { describe, expect, it } from "@jest/globals";
import { openConversation, send, walk, withKey } from "../support/conversations.ts";
import type { Body, Client } from "../support/client.ts";
import { prepare } from "../support/prepare.ts";
import { seededRandom } from "../support/seed.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

const ids = (items: readonly { id: string }[]) => items.map((it) => it.id);

/** Creates `count` conversations of one owner, oldest first. */
async function openMany(owner: Client, count: number): Promise<string[]> {
  const opened: string[] = [];
  for (let index = 0; index < count; index++) opened.push((await openConversation(owner, [owner], `Number ${index}`)).id);
  return opened;
}

describe("GET /conversations", () => {
  it("returns 200 with all conversations of the caller and no others, newest first", async () => {
    const [ada, yuki, tom] = [await service.as(), await service.as(), await service.as()];
    const [own, shared] = [await openConversation(ada, [tom]), await openConversation(yuki, [ada], "Doors")];
    await openConversation(yuki, [tom]);
    await send(ada, shared, "Thursday?");
    const { status, body } = await ada("GET", "/conversations");
    expect(status).toBe(200);
    expect(ids(body.data)).toEqual([shared.id, own.id]);
    expect(body.data[0]).toEqual((await ada("GET", shared.path)).body);
    expect(body.page).toEqual({ limit: 20, next_cursor: null });
  });

  it("lists a conversation at the position of its creation, whenever the user has joined it", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const opened = await openMany(ada, 3);
    for (const id of opened.toReversed()) await ada("PUT", `/conversations/${id}/members/${yuki.userId}`);
    expect(ids(await walk(yuki, "/conversations?limit=1"))).toEqual(opened.toReversed());
    expect(ids(await walk(yuki, "/conversations?limit=1&sort=created_at"))).toEqual(opened);
  });

  it("lists each conversation once while others are created and left between two pages with different limits", async () => {
    const ada = await service.as();
    const opened = await openMany(ada, 8);
    const first = await ada("GET", "/conversations?limit=3");
    await openMany(ada, 2);
    // Removes the last conversation of the first page. The cursor contains its position, and stays valid.
    await ada("DELETE", `/conversations/${opened[5]}/members/${ada.userId}`);
    const rest = await ada("GET", `/conversations?limit=100&after=${first.body.page.next_cursor}`);
    expect(ids([...first.body.data, ...rest.body.data])).toEqual(opened.toReversed());
    expect(rest.body.page.next_cursor).toBeNull();
  });
});

describe("GET /conversations?sort=-last_message_at", () => {
  const BY_ACTIVITY = "/conversations?sort=-last_message_at";
  const sendTo = (sender: Client, id: string) => sender("POST", `/conversations/${id}/messages`, { body: "Up" }, withKey());

  /** Lets the conversations be as old as if each was active some minutes after the one before. Every third has no message. */
  async function age(opened: readonly string[], minutes: number): Promise<void> {
    for (const [index, id] of opened.entries()) {
      const at = new Date(Date.now() - (opened.length - index) * minutes * 60_000 - 60_000);
      const hour = new Date(Math.floor(at.getTime() / 3_600_000) * 3_600_000);
      const isSilent = index % 3 === 0;
      await service.db.conversation.update({ where: { id }, data: isSilent ? { createdAt: at } : { lastMessageAt: at } });
      await service.db.listedConversation.updateMany({
        where: { conversationId: id },
        data: { activeHour: hour, ...(isSilent ? { conversationCreatedAt: at } : {}) },
      });
    }
  }

  it.each([1, 2, 5, 100])(
    "lists each once in the order of the newest messages, across hours, if nothing moves: limit=%d",
    async (limit) => {
      const ada = await service.as();
      const opened = await openMany(ada, 12);
      await age(opened, 25);
      expect(ids(await walk(ada, `${BY_ACTIVITY}&limit=${limit}`))).toEqual(opened.toReversed());
      const { body: message } = await sendTo(ada, opened[4]!);
      const [first] = (await ada("GET", `${BY_ACTIVITY}&limit=1`)).body.data as Body[];
      expect(first).toMatchObject({ id: opened[4], last_message_at: message.created_at });
    },
  );

  it("misses none while conversations move, and ends", async () => {
    const random = seededRandom("movement");
    let [repeated, moves] = [0, 0];
    for (let round = 0; round < 4; round++) {
      const ada = await service.as();
      const opened = await openMany(ada, 16);
      await age(opened, 7);
      const seen: string[] = [];
      let pages = 0;
      for (let after = ""; pages === 0 || after !== ""; pages++) {
        const { body } = await ada("GET", `${BY_ACTIVITY}&limit=${1 + random(3)}${after}`);
        seen.push(...ids(body.data as { id: string }[]));
        after = body.page.next_cursor === null ? "" : `&after=${body.page.next_cursor}`;
        // Most that move have not been listed yet.
        if (pages < 12 && random(10) < 7) {
          const unseen = opened.filter((it) => !seen.includes(it));
          const from = unseen.length > 0 && random(10) < 8 ? unseen : opened;
          const id = from[random(from.length)]!;
          await sendTo(ada, id);
          moves++;
        }
        expect(pages).toBeLessThan(60);
      }
      expect(opened.filter((it) => !seen.includes(it))).toEqual([]);
      repeated += seen.length - new Set(seen).size;
    }
    expect(moves).toBeGreaterThan(10);
    process.stderr.write(`movement: ${moves} moves, ${repeated} conversations twice\n`);
  }, 60_000);
});
