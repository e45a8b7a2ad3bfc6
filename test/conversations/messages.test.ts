import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { purgeIdempotencyKeys } from "../../src/idempotency/idempotency.ts";
import { createCursors } from "../../src/pagination/cursor.ts";
import type { Body } from "../support/client.ts";
import { openConversation, send, sendMany, walk, pair } from "../support/conversations.ts";
import { earlier } from "../support/database.ts";
import { prepare } from "../support/prepare.ts";
import { sentence } from "../support/sentence.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

/** A conversation of one user. */
async function alone() {
  const ada = await service.as();
  return { ada, conversation: await openConversation(ada, [ada]) };
}
const countMessages = (conversationId: string) => service.db.message.count({ where: { conversationId } });

describe("POST /conversations/{conversationId}/messages", () => {
  const STORED = sentence("When you get the response, the message is stored and its `sequence` is final.");
  const ONCE = sentence("A retry with the same `Idempotency-Key`, which is required, never sends a message twice.");
  it(`${STORED} ${ONCE}`, async () => {
    const { ada, yuki, conversation } = await pair(service);
    const key = randomUUID();
    const text = "The slates come on Thursday.\nCan you be there?";
    const first = await send(ada, conversation, text, key);
    expect(first).toMatchObject({
      status: 201,
      body: {
        conversation_id: conversation.id,
        sender_id: ada.userId,
        sequence: 1,
        body: text,
      },
    });
    expect(first.headers.get("location")).toBe(`${conversation.messages}/${first.body.id}`);
    const retry = await send(ada, conversation, text, key);
    expect(retry).toMatchObject({ status: 201, text: first.text });
    expect(retry.headers.get("location")).toBe(first.headers.get("location"));
    expect([first.headers.get("idempotency-replayed"), retry.headers.get("idempotency-replayed")]).toEqual([null, "true"]);
    for (const member of [ada, yuki]) {
      expect(await member("GET", first.headers.get("location")!)).toMatchObject({ status: 200, body: first.body });
      expect(await member("GET", conversation.messages)).toMatchObject({ status: 200, body: { data: [first.body] } });
    }
    expect((await yuki("GET", "/notifications?kind=message.created")).body.data).toHaveLength(1);
  });

  const MOVES =
    "When you send a message, the position moves to it, and your notifications about the conversation are marked as read.";
  it(`${sentence(MOVES)} The next one counts only what comes after`, async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const [conversation, other] = [await openConversation(ada, [yuki]), await openConversation(ada, [yuki])];
    for (const to of [conversation, conversation, other]) await send(ada, to, "A question");
    await send(yuki, conversation, "An answer");
    const unread = async () => (await yuki("GET", "/notifications?status=unread&kind=message.created")).body.data as Body[];
    const hrefs = async () => (await unread()).map((it) => [it.resource.href.startsWith(conversation.path), it.event_count]);
    expect(await hrefs()).toEqual([[false, 1]]);
    expect(await yuki("GET", conversation.path)).toMatchObject({ body: { last_read_sequence: 3, unread_count: 0 } });
    await send(ada, conversation, "Another question");
    expect(await yuki("GET", conversation.path)).toMatchObject({ body: { unread_count: 1 } });
    expect(await hrefs()).toEqual([
      [true, 1],
      [false, 1],
    ]);
  });

  it(`${sentence("**For messages, it never expires.**")} Not after 400 days, when expired keys are deleted`, async () => {
    const { ada, conversation } = await alone();
    const key = randomUUID();
    const first = await send(ada, conversation, "Hello", key);
    for (const table of ["messages", "conversations", "members", "idempotency_keys"]) {
      const columns = [table === "members" ? "joined_at" : "created_at", ...(table === "idempotency_keys" ? ["expires_at"] : [])];
      await service.db.$executeRawUnsafe(
        `UPDATE ${table} SET ${columns.map((it) => `${it} = ${earlier(it, "400 days")}`).join()}`,
      );
    }
    expect(await purgeIdempotencyKeys(service.db)).toBeGreaterThan(0);
    const retry = await send(ada, conversation, "Hello", key);
    expect(retry).toMatchObject({ status: 201, body: { id: first.body.id, sequence: 1 } });
    expect(retry.headers.get("idempotency-replayed")).toBe("true");
    expect(await send(ada, conversation, "Goodbye", key)).toMatchObject({ status: 422 });
    expect(await countMessages(conversation.id)).toBe(1);
  });

  const REMOVED = sentence("If you were removed from a conversation, a retry returns 403.");
  const ENDED =
    "After a membership ends, every valid request of that user returns 403 while the conversation exists, even the retry of a request that succeeded.";
  it(`${REMOVED} ${sentence(ENDED)} When they return, it is a replay`, async () => {
    const { ada, yuki, conversation } = await pair(service);
    const key = randomUUID();
    const first = await send(yuki, conversation, "Hello", key);
    await ada("DELETE", `${conversation.members}/${yuki.userId}`);
    const refused = await send(yuki, conversation, "Hello", key);
    expect(refused).toMatchObject({ status: 403, body: { code: "not_a_member" } });
    expect(refused.text).not.toContain(first.body.id);
    expect(await send(yuki, conversation, "Something else", key)).toMatchObject({ status: 403, body: { code: "not_a_member" } });
    for (const path of [conversation.path, conversation.members, conversation.messages])
      expect(await yuki("GET", path)).toMatchObject({ status: 403, body: { code: "not_a_member" } });
    expect((await yuki("GET", "/conversations")).body.data).toEqual([]);
    await ada("PUT", `${conversation.members}/${yuki.userId}`);
    expect(await send(yuki, conversation, "Hello", key)).toMatchObject({ status: 201, text: first.text });
    expect(await countMessages(conversation.id)).toBe(1);
  });

  it.each([
    ["4,000 emoji", "😀".repeat(4_000)],
    ["4,000 characters that JSON escapes", "\u0001".repeat(3_999) + "x"],
    ["text that resembles NUL", "\u2400 \\0 \\u0000"],
    ["right-to-left text and combining marks", "שלום é ﷽"],
  ])("accepts and returns unchanged: %s", async (_what, body) => {
    const { ada, conversation } = await alone();
    const sent = await send(ada, conversation, body);
    expect(sent).toMatchObject({ status: 201, body: { body } });
    expect((await ada("GET", sent.headers.get("location")!)).body.body).toBe(body);
  });
});

it(`GET /conversations/{conversationId}/messages/{message_id}: ${sentence("The id of a message in another conversation returns 404, even if you are a member of both.")}`, async () => {
  const [ada, yuki] = [await service.as(), await service.as()];
  const [conversation, other] = [await openConversation(ada, [yuki]), await openConversation(ada, [yuki])];
  const { body: message } = await send(ada, conversation, "Hello");
  expect(await ada("GET", `${other.messages}/${message.id}`)).toMatchObject({ status: 404, body: { code: "not_found" } });
});

const sequences = (items: readonly Body[]) => items.map((it) => it.sequence as number);
const countTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

describe("GET /conversations/{conversationId}/messages", () => {
  const NEWER =
    "`prev_cursor` is always present, so you can keep asking for new messages; `has_newer` tells whether there are any yet.";
  it(`${sentence(NEWER)} In both directions, and on full and empty pages`, async () => {
    const { ada, conversation } = await alone();
    const read = async (query: string) => (await ada("GET", `${conversation.messages}?${query}`)).body;
    const empty = await read("limit=2");
    expect(empty).toMatchObject({ data: [], page: { next_cursor: null, prev_cursor: expect.any(String), has_newer: false } });
    expect(await read(`after=${empty.page.prev_cursor}`)).toMatchObject({ data: [], page: { has_newer: false } });
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

  const BOTH = "Send a `next_cursor` as `before` to get older messages, and a `prev_cursor` as `after` to get newer ones.";
  it(`${sentence(BOTH)} From every page, also an empty one`, async () => {
    const { ada, conversation } = await alone();
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
    const { ada, yuki, conversation } = await pair(service);
    await sendMany(ada, conversation, 6);
    const cursor: string = (await ada("GET", `${conversation.messages}?limit=2`)).body.page.next_cursor;
    const text = `UPDATE messages SET created_at = ${earlier("created_at", "400 days")} WHERE conversation_id = $1::uuid`;
    await service.db.$executeRawUnsafe(text, conversation.id);
    expect(sequences((await yuki("GET", `${conversation.messages}?limit=3&before=${cursor}`)).body.data)).toEqual([4, 3, 2]);
  });

  const ORDER =
    'Ordered by `sequence`. The order never changes. `Link` with `rel="next"` leads to older messages in both directions.';
  it(sentence(ORDER), async () => {
    const { ada, conversation } = await alone();
    await sendMany(ada, conversation, 5);
    const read = (query: string) => ada("GET", `${conversation.messages}?limit=2${query}`);
    const newest = await read("");
    expect([sequences(newest.body.data), (await read("")).text]).toEqual([[5, 4], newest.text]);
    const { page } = (await read(`&before=${newest.body.page.next_cursor}`)).body;
    const oldest = (await read(`&before=${page.next_cursor}`)).body;
    for (const [from, expected] of [
      [newest, [3, 2]],
      [await read(`&after=${oldest.page.prev_cursor}`), [1]],
    ] as const) {
      const next = /^<([^>]+)>; rel="next"/.exec(from.headers.get("link")!)![1]!;
      expect(sequences((await ada("GET", next)).body.data)).toEqual(expected);
    }
  });

  const TWO = sentence("Sending both `before` and `after` returns 400 `conflicting_parameters`.");
  const ACCESS = "In a conversation, access is checked before a cursor, so 403 comes before 400 `invalid_cursor`.";
  it(`${TWO} ${sentence(ACCESS)}`, async () => {
    const [ada, stranger] = [await service.as(), await service.as()];
    const { messages } = await openConversation(ada, [ada]);
    expect(await stranger("GET", `${messages}?before=x&after=x`)).toMatchObject({ body: { code: "conflicting_parameters" } });
    expect(await ada("GET", `${messages}?after=x`)).toMatchObject({ status: 400, body: { code: "invalid_cursor" } });
    expect(await stranger("GET", `${messages}?after=x`)).toMatchObject({ status: 403, body: { code: "not_a_member" } });
  });
});

describe("GET /conversations/{conversationId}/messages", () => {
  it("refuses every cursor that names a message that is lost, also once others have its sequence, so that none is skipped", async () => {
    const { ada, conversation } = await alone();
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
    const { ada, conversation } = await alone();
    await sendMany(ada, conversation, 3);
    const cursors = createCursors(["plumbline development cursors"]);
    const of = (sequence: number) => cursors.of({ operation: "listMessages", conversation: conversation.id }).encode([sequence]);
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
});
