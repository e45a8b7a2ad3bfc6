import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { createCursors } from "../../src/pagination/cursor.ts";
import type { Body, Client } from "../support/client.ts";
import { openConversation, sendMany, walk, type Conversation } from "../support/conversations.ts";
import { earlier } from "../support/database.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

const sequences = (items: readonly Body[]) => items.map((it) => it.sequence as number);
const countTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

/** Polls from a cursor until `has_newer` is false. Returns the messages, oldest first, and the last cursor. */
async function poll(
  reader: Client,
  conversation: Conversation,
  cursor: string,
  limit: number,
): Promise<{ items: Body[]; cursor: string }> {
  const items: Body[] = [];
  for (;;) {
    const { body } = await reader("GET", `${conversation.messages}?limit=${limit}&after=${cursor}`);
    items.push(...body.data.toReversed());
    cursor = body.page.prev_cursor;
    if (!body.page.has_newer) return { items, cursor };
  }
}

describe("GET /conversations/{conversationId}/messages", () => {
  it("returns a prev_cursor even for an empty conversation, and polling from it finds every later message", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki]);
    const empty = await yuki("GET", conversation.messages);
    expect(empty).toMatchObject({
      status: 200,
      body: { data: [], page: { limit: 20, next_cursor: null, prev_cursor: expect.any(String) } },
    });
    const still = await yuki("GET", `${conversation.messages}?after=${empty.body.page.prev_cursor}`);
    expect(still).toMatchObject({ status: 200, body: { data: [], page: { next_cursor: null } } });
    const sent = await sendMany(ada, conversation, 5);
    const page = await yuki("GET", `${conversation.messages}?limit=2&after=${still.body.page.prev_cursor}`);
    // The messages that directly follow the cursor, newest first.
    expect(page.body.data).toEqual([sent[1], sent[0]]);
    expect((await poll(yuki, conversation, page.body.page.prev_cursor, 2)).items).toEqual(sent.slice(2));
  });

  it("returns has_newer true exactly if newer messages exist, in both directions and on full and empty pages", async () => {
    const ada = await service.as();
    const conversation = await openConversation(ada, [ada]);
    const read = async (query: string) => (await ada("GET", `${conversation.messages}?${query}`)).body;
    const empty = await read("limit=2");
    expect(empty.page.has_newer).toBe(false);
    expect((await read(`before=${empty.page.prev_cursor}`)).page.has_newer).toBe(false);
    await sendMany(ada, conversation, 4);
    const newest = await read("limit=2");
    expect(newest.page.has_newer).toBe(false);
    expect((await read(`limit=2&before=${newest.page.next_cursor}`)).page.has_newer).toBe(true);
    expect((await read(`before=${empty.page.prev_cursor}`)).page.has_newer).toBe(true);
    const pages: [number[], boolean][] = [];
    for (let cursor: string = empty.page.prev_cursor, hasNewer = true; hasNewer;) {
      const { data, page } = await read(`limit=2&after=${cursor}`);
      [cursor, hasNewer] = [page.prev_cursor, page.has_newer];
      pages.push([sequences(data), hasNewer]);
    }
    // The last page is full, and `has_newer` is still false.
    expect(pages).toEqual([
      [[2, 1], true],
      [[4, 3], false],
    ]);
  });

  it("returns a next_cursor on every polled page, also an empty one, that leads to all older messages", async () => {
    const ada = await service.as();
    const conversation = await openConversation(ada, [ada]);
    const { body: empty } = await ada("GET", conversation.messages);
    await sendMany(ada, conversation, 6);
    let after: string = empty.page.prev_cursor;
    for (let newest = 2; newest <= 6; newest += 2) {
      const { body } = await ada("GET", `${conversation.messages}?limit=2&after=${after}`);
      const older =
        body.page.next_cursor === null
          ? []
          : await walk(ada, `${conversation.messages}?limit=4&before=${body.page.next_cursor}`, "before");
      expect(sequences([...body.data, ...older])).toEqual(countTo(newest).reverse());
      after = body.page.prev_cursor;
    }
    // An empty page also has a cursor to the older messages.
    const { body: last } = await ada("GET", `${conversation.messages}?after=${after}`);
    expect(last.data).toEqual([]);
    expect(sequences(await walk(ada, `${conversation.messages}?before=${last.page.next_cursor}`, "before"))).toEqual(
      countTo(6).reverse(),
    );
  });

  it("accepts the cursor of another member, with another limit, and for messages older than 400 days", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki]);
    await sendMany(ada, conversation, 6);
    const cursor: string = (await ada("GET", `${conversation.messages}?limit=2`)).body.page.next_cursor;
    const text = `UPDATE messages SET created_at = ${earlier("created_at", "400 days")} WHERE conversation_id = $1::uuid`;
    await service.db.$executeRawUnsafe(text, conversation.id);
    expect(sequences((await yuki("GET", `${conversation.messages}?limit=3&before=${cursor}`)).body.data)).toEqual([4, 3, 2]);
  });

  it("returns the same cursors for the same page", async () => {
    const ada = await service.as();
    const conversation = await openConversation(ada, [ada]);
    await sendMany(ada, conversation, 3);
    expect((await ada("GET", `${conversation.messages}?limit=2`)).text).toBe(
      (await ada("GET", `${conversation.messages}?limit=2`)).text,
    );
  });

  it("refuses every cursor that names a message that is lost, also once others have its sequence, so that none is skipped", async () => {
    const ada = await service.as();
    const conversation = await openConversation(ada, [ada]);
    await sendMany(ada, conversation, 10);
    /** The cursors of a full page, and of an empty one behind it. */
    const cursorsAt = async (query: string) => {
      const { page } = (await ada("GET", `${conversation.messages}?${query}`)).body;
      const empty = (await ada("GET", `${conversation.messages}?after=${page.prev_cursor}`)).body;
      return [page, ...(empty.data.length === 0 ? [empty.page] : [])].flatMap((it) => [
        `after=${it.prev_cursor}`,
        ...(it.next_cursor === null ? [] : [`before=${it.next_cursor}`]),
      ]);
    };
    const [atTen, all] = [await cursorsAt("limit=2"), await cursorsAt("limit=100")];
    const atEight = (await ada("GET", `${conversation.messages}?limit=2&${atTen[1]}`)).body.page;
    const atSix = (await ada("GET", `${conversation.messages}?limit=2&before=${atEight.next_cursor}`)).body.page;
    const atFive = (await ada("GET", `${conversation.messages}?limit=1&before=${atSix.prev_cursor}`)).body.page;
    const lost = [...atTen, ...all, `after=${atEight.prev_cursor}`, `before=${atEight.next_cursor}`];
    expect([atTen.length, all.length]).toEqual([4, 3]);
    const read = (query: string) => ada("GET", `${conversation.messages}?limit=100&${query}`);
    for (const it of lost) expect(await read(it)).toMatchObject({ status: 200 });

    // As after a failover that lost what the standby had not received.
    await service.db.message.deleteMany({ where: { conversationId: conversation.id, sequence: { gt: 5 } } });
    await service.db.conversation.update({ where: { id: conversation.id }, data: { lastSequence: 5 } });
    const refused = { status: 400, body: { code: "invalid_cursor" } };
    for (const it of lost) expect(await read(it)).toMatchObject(refused);
    const anew = await sendMany(ada, conversation, 7);
    for (const it of lost) expect(await read(it)).toMatchObject(refused);
    // Cursors of messages that still exist continue.
    expect((await read(`after=${atFive.prev_cursor}`)).body.data.toReversed()).toEqual(anew);
    expect(sequences((await read(`before=${atFive.next_cursor}`)).body.data)).toEqual([4, 3, 2, 1]);
    expect(sequences((await read("")).body.data)).toEqual(countTo(12).toReversed());
  });

  it("accepts the cursors of 1.0.0, which name no message, but not for one that doesn't exist yet", async () => {
    const ada = await service.as();
    const conversation = await openConversation(ada, [ada]);
    await sendMany(ada, conversation, 3);
    const cursors = createCursors(["plumbline development cursors"]);
    const of = (sequence: number) => cursors.encode({ operation: "listMessages", conversation: conversation.id }, [sequence]);
    const read = async (query: string) => {
      const { status, body } = await ada("GET", `${conversation.messages}?${query}`);
      return status === 200 ? sequences(body.data) : body.code;
    };
    for (const [query, expected] of [
      [`after=${of(0)}`, [3, 2, 1]],
      [`after=${of(3)}`, []],
      [`after=${of(4)}`, "invalid_cursor"],
      [`before=${of(1)}`, []],
      [`before=${of(4)}`, [3, 2, 1]],
      [`before=${of(5)}`, "invalid_cursor"],
    ])
      expect([query, await read(String(query))]).toEqual([query, expected]);
    // What follows from such a cursor names its message.
    const { prev_cursor: next } = (await ada("GET", `${conversation.messages}?after=${of(3)}`)).body.page;
    await service.db.message.updateMany({
      where: { conversationId: conversation.id, sequence: 3 },
      data: { id: randomUUID() },
    });
    expect(await read(`after=${next}`)).toBe("invalid_cursor");
  });

  it("refuses a stranger with two cursors before it checks access, and one with a wrong cursor after it", async () => {
    const [ada, stranger] = [await service.as(), await service.as()];
    const { messages } = await openConversation(ada, [ada]);
    expect(await stranger("GET", `${messages}?before=x&after=x`)).toMatchObject({ body: { code: "conflicting_parameters" } });
    expect(await stranger("GET", `${messages}?after=x`)).toMatchObject({ status: 403, body: { code: "not_a_member" } });
  });
});
