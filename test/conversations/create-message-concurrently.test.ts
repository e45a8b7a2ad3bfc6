import { randomUUID, randomUUIDv7 } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "@jest/globals";
import { insertMessages } from "../../src/conversations/messages/store.ts";
import { openConversation, send, sendPersistently, walk, type Conversation, pair } from "../support/conversations.ts";
import { createClient, type Body, type Client } from "../support/client.ts";
import { prepare } from "../support/prepare.ts";
import { PATIENT, run } from "../support/processes.ts";
import { hold } from "../support/locks.ts";
import { sentence } from "../support/sentence.ts";
import { startTestService } from "../support/service.ts";
import { seededRandom } from "../support/seed.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

/** Another process for the same database and files. */
const other = prepare(async () => {
  const settings = { ...PATIENT, NODE_ENV: "test", ROLE: "api", DATABASE_URL: service.databaseUrl, DATA_DIR: service.dataDir };
  const running = run(settings);
  return Object.assign(running, { url: (await running.ready()).url });
});
const there = (it: Client) => createClient(other.url, { userId: it.userId, name: it.userName, authorization: it.authorization! });

const countTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

async function sequencesOf(reader: Client, conversation: Conversation): Promise<number[]> {
  return (await walk(reader, `${conversation.messages}?limit=100`, "before")).map((it) => it.sequence as number).reverse();
}

/** Makes every statement that inserts a row with such a body fail, as if it exceeded `statement_timeout`. */
async function cancelInserts(table: "messages" | "notifications", body: string): Promise<void> {
  await service.db.$executeRawUnsafe(`CREATE OR REPLACE FUNCTION cancel_${table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NEW.body LIKE '${body}%' THEN RAISE EXCEPTION 'canceling statement due to statement timeout' USING ERRCODE = '57014'; END IF; RETURN NEW; END $$`);
  await service.db.$executeRawUnsafe(
    `CREATE OR REPLACE TRIGGER cancel AFTER INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION cancel_${table}()`,
  );
}

describe("POST /conversations/{conversationId}/messages with concurrent requests", () => {
  it("creates one message for 200 concurrent retries through two processes, and returns 201 with the same body to each", async () => {
    const ada = await service.as();
    const adaThere = there(ada);
    const conversation = await openConversation(ada, [ada]);
    const key = randomUUID();
    const answers = await Promise.all(
      countTo(200).map((number) =>
        sendPersistently(number % 2 ? ada : adaThere, conversation, "The slates come on Thursday.", key),
      ),
    );
    expect(
      Map.groupBy(answers, (it) => it.status)
        .keys()
        .toArray(),
    ).toEqual([201]);
    expect(new Set(answers.map((it) => it.text)).size).toBe(1);
    expect(answers.filter((it) => it.headers.get("idempotency-replayed") === "true")).toHaveLength(199);
    expect(await service.db.message.count({ where: { conversationId: conversation.id } })).toBe(1);
  }, 180_000);

  const NO_GAPS = sentence("Messages are numbered by `sequence`: 1, 2, 3 and so on, without gaps.");
  it(`${NO_GAPS} Of two processes, which notify only members, while one joins and leaves`, async () => {
    const [ada, yuki, tom] = [await service.as(), await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki]);
    let sending = true;
    let changes = 0;
    const changing = (async () => {
      // Tom is notified of the messages sent while he is a member, and of no others: one notification per stay.
      for (; sending; changes++) {
        const { sequence: from } = (await sendPersistently(ada, conversation, "Before Tom")).body;
        expect((await there(ada)("PUT", `${conversation.members}/${tom.userId}`)).status).toBe(201);
        await sendPersistently(yuki, conversation, "With Tom");
        expect((await ada("DELETE", `${conversation.members}/${tom.userId}`)).status).toBe(204);
        const { sequence: to } = (await sendPersistently(ada, conversation, "After Tom")).body;
        const { body } = await tom("GET", "/notifications?kind=message.created");
        expect(body).toMatchObject({ unread_count: 0, data: [{ status: "read" }] });
        expect(body.data[0].event_count).toBeGreaterThanOrEqual(1);
        expect(body.data[0].event_count).toBeLessThan(to - from);
      }
    })();
    const senders = [ada, there(ada), yuki, there(yuki)];
    const answers = await Promise.all(
      senders.flatMap((it) =>
        [1, 2, 3].map(async () => {
          const statuses: number[] = [];
          for (let count = 0; count < 10; count++) statuses.push((await sendPersistently(it, conversation, "Hello")).status);
          return statuses;
        }),
      ),
    );
    sending = false;
    await changing;
    expect(new Set(answers.flat())).toEqual(new Set([201]));
    // Yuki's last message must not be the newest, which would mean that she has read all.
    await sendPersistently(ada, conversation, "Goodbye");
    const sent = await sequencesOf(ada, conversation);
    process.stderr.write(`${sent.length} messages through two processes, while a member came and went ${changes} times\n`);
    expect(sent).toEqual(countTo(120 + 3 * changes + 1));
    const { unread_count } = (await yuki("GET", conversation.path)).body;
    expect((await yuki("GET", "/notifications?kind=message.created&status=unread")).body.data).toMatchObject([
      { event_count: unread_count },
    ]);
  }, 180_000);

  it("leaves no gap when sends are rolled back, alone or among others, and gives a retry the next sequence", async () => {
    await cancelInserts("messages", "cancel");
    const { ada, yuki, conversation } = await pair(service);
    const key = randomUUID();
    expect(await send(ada, conversation, "One")).toMatchObject({ status: 201, body: { sequence: 1 } });
    expect(await send(ada, conversation, "cancel this", key)).toMatchObject({ status: 503, body: { code: "unavailable" } });
    expect(await send(ada, conversation, "Two")).toMatchObject({ status: 201, body: { sequence: 2 } });
    const mixed = await Promise.all(
      countTo(30).map((number) =>
        number % 3
          ? sendPersistently(number % 2 ? ada : yuki, conversation, `Message ${number}`)
          : send(number % 2 ? ada : yuki, conversation, `cancel ${number}`),
      ),
    );
    expect(mixed.filter((it) => it.status === 201)).toHaveLength(20);
    expect(mixed.filter((it) => it.status === 503)).toHaveLength(10);
    await service.db.$executeRaw`DROP TRIGGER cancel ON messages`;
    const retry = await send(ada, conversation, "cancel this", key);
    expect(retry).toMatchObject({ status: 201, body: { sequence: 23 } });
    expect(retry.headers.has("idempotency-replayed")).toBe(false);
    expect(await sequencesOf(yuki, conversation)).toEqual(countTo(23));
  });

  it("sends a message once if two retries are in one batch, and another sender's with the same key beside it", async () => {
    const { ada, yuki, conversation } = await pair(service);
    const batch = [ada, yuki, ada].map(({ userId: senderId, userName: senderName }) => ({
      ...{ id: randomUUIDv7(), conversationId: conversation.id, senderId, senderName },
      ...{ body: "Hello", idempotencyKey: "one-key" },
    }));
    const inserted = await insertMessages(service.db, conversation.id, batch);
    expect(inserted.map((it) => it !== null)).toEqual([false, true, true]);
    expect(inserted.flatMap((it) => it?.sequence ?? []).toSorted()).toEqual([1, 2]);
  });

  it("gives a message the time at which it gets its sequence, not the time at which it began to wait", async () => {
    const ada = await service.as();
    const conversation = await openConversation(ada, [ada]);
    // Another message also updates the row. After a lock without an update, the time is from before the wait, but then no message
    // was sent in between.
    await using holder = await hold(service.databaseUrl, "UPDATE conversations SET last_sequence = last_sequence WHERE id = $1", [
      conversation.id,
    ]);
    const sent = send(ada, conversation, "Hello");
    await holder.blocks(1);
    const [row] = await holder.query("SELECT clock_timestamp() AS now");
    await holder.query("COMMIT");
    const { body } = await sent;
    expect(Date.parse(body.created_at)).toBeGreaterThanOrEqual((row!["now"] as Date).getTime());
    expect((await ada("GET", conversation.path)).body.last_message_at).toBe(body.created_at);
  });

  it("sends the other messages of a batch in which one sender is not a member and another one's key is used", async () => {
    const [ada, yuki, tom, mara] = [await service.as(), await service.as(), await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki, mara]);
    await send(yuki, conversation, "Before", "used-before");
    await send(mara, conversation, "Unread until the batch");
    const batch = [ada, tom, yuki, yuki, ada].map(({ userId: senderId, userName: senderName }, index) => ({
      ...{ id: randomUUIDv7(), conversationId: conversation.id, senderId, senderName },
      ...{ body: `Message ${index}`, idempotencyKey: index === 2 ? "used-before" : randomUUID() },
    }));
    const inserted = await insertMessages(service.db, conversation.id, batch);
    expect(inserted.map((it) => it?.sequence ?? null)).toEqual([3, null, null, 4, 5]);
    const noticesOf = async (it: Client) => (await it("GET", "/notifications?kind=message.created")).body.data;
    expect(await noticesOf(yuki)).toMatchObject([{ body: "Message 4", event_count: 1, status: "unread" }]);
    expect(await noticesOf(ada)).toMatchObject([{ body: "Unread until the batch", event_count: 2, status: "read" }]);
    expect(await noticesOf(tom)).toEqual([]);
  });

  it("rolls back a message when its notifications fail, and its notifications when the message fails", async () => {
    await cancelInserts("notifications", "cancel");
    const { ada, yuki, conversation } = await pair(service);
    expect(await send(ada, conversation, "cancel this")).toMatchObject({ status: 503 });
    await service.db.$executeRaw`DROP TRIGGER cancel ON notifications`;
    await cancelInserts("messages", "cancel");
    expect(await send(ada, conversation, "cancel that")).toMatchObject({ status: 503 });
    await service.db.$executeRaw`DROP TRIGGER cancel ON messages`;
    expect((await yuki("GET", conversation.messages)).body.data).toEqual([]);
    expect((await yuki("GET", "/notifications?kind=message.created")).body.data).toEqual([]);
    expect(await ada("GET", conversation.path)).toMatchObject({ body: { last_message_at: null } });
  });

  // It waits for two timeouts, so it runs beside the others, with a service of its own because they count what waits for a lock.
  it.concurrent(
    "returns 503 while the conversation is locked, 409 for a retry of a running attempt, and 201 for both later",
    async () => {
      await using slow = await startTestService({ ROLE: "api" });
      const [ada, yuki] = [await slow.as(), await slow.as()];
      const conversation = await openConversation(ada, [yuki]);
      const key = randomUUID();
      await using holder = await hold(slow.databaseUrl, "SELECT 1 FROM conversations WHERE id = $1 FOR UPDATE", [
        conversation.id,
      ]);
      const first = send(ada, conversation, "Hello", key);
      const other = send(yuki, conversation, "Hello to you");
      await holder.blocks(1);
      const retry = await send(ada, conversation, "Hello", key);
      expect(retry).toMatchObject({ status: 409, body: { code: "idempotency_in_progress" } });
      for (const answer of [await first, await other])
        expect(answer).toMatchObject({ status: 503, body: { code: "unavailable" } });
      for (const answer of [retry, await first]) expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
      await holder.release();
      expect(await send(ada, conversation, "Hello", key)).toMatchObject({ status: 201, body: { sequence: 1 } });
      expect(await send(yuki, conversation, "Hello to you")).toMatchObject({ status: 201, body: { sequence: 2 } });
    },
  );

  it("does not block sends in another conversation, or other requests, while one conversation is locked", async () => {
    const senders = await Promise.all(countTo(30).map(() => service.as()));
    const [locked, free] = [await openConversation(senders[0]!, senders), await openConversation(senders[0]!, senders)];
    await using holder = await hold(service.databaseUrl, "SELECT 1 FROM conversations WHERE id = $1 FOR UPDATE", [locked.id]);
    const stuck = senders.map((it) => sendPersistently(it, locked, "Stuck"));
    await holder.blocks(1);
    for (const it of senders) {
      expect(await send(it, free, "Not stuck")).toMatchObject({ status: 201 });
      expect(await it("GET", "/posts?limit=1")).toMatchObject({ status: 200 });
    }
    await holder.release();
    expect((await Promise.all(stuck)).map((it) => it.status)).toEqual(senders.map(() => 201));
    expect(await sequencesOf(senders[0]!, locked)).toEqual(countTo(30));
  });

  it("notifies the same members of messages in many conversations at once, whatever their order, without a failed request", async () => {
    const everyone = await Promise.all(countTo(12).map(() => service.as()));
    const conversations = await Promise.all(
      everyone.map((owner, n) => openConversation(owner, everyone.toSpliced(n, 1).toReversed())),
    );
    const sent = await Promise.all(
      conversations.map(async (conversation, n) => {
        const statuses: number[] = [];
        for (let count = 0; count < 10; count++) statuses.push((await send(everyone[n]!, conversation, "To all")).status);
        return statuses;
      }),
    );
    expect(new Set(sent.flat())).toEqual(new Set([201]));
    for (const reader of everyone) {
      const { body } = await reader("GET", "/notifications?kind=message.created");
      expect(body.data.map((it: Body) => it.event_count)).toEqual(Array.from({ length: 11 }, () => 10));
    }
  });

  it("checks membership after waiting for the lock: notifies a member who was added during the wait, refuses a removed sender", async () => {
    const [ada, yuki, tom] = [await service.as(), await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki]);
    const lock = () => hold(service.databaseUrl, "SELECT 1 FROM conversations WHERE id = $1 FOR UPDATE", [conversation.id]);
    await using adding = await lock();
    const welcome = send(ada, conversation, "Welcome");
    await adding.blocks(1);
    await adding.query("INSERT INTO members (conversation_id, user_id, role) VALUES ($1, $2, 'member')", [
      conversation.id,
      tom.userId,
    ]);
    await adding.query("COMMIT");
    expect(await welcome).toMatchObject({ status: 201, body: { sequence: 1 } });
    for (const it of [yuki, tom])
      expect((await it("GET", "/notifications?kind=message.created")).body.data).toMatchObject([
        { body: "Welcome", event_count: 1 },
      ]);

    await using removing = await lock();
    const late = send(yuki, conversation, "Too late");
    await removing.blocks(1);
    await removing.query("DELETE FROM members WHERE conversation_id = $1 AND user_id = $2", [conversation.id, yuki.userId]);
    await removing.query("COMMIT");
    expect(await late).toMatchObject({ status: 403, body: { code: "not_a_member" } });
    expect(await send(ada, conversation, "Two")).toMatchObject({ status: 201, body: { sequence: 2 } });
    expect(await sequencesOf(ada, conversation)).toEqual([1, 2]);
  });

  it("refuses a retry of a removed sender, also while an attempt with the same key runs, although the message was sent", async () => {
    const { ada, yuki, conversation } = await pair(service);
    const key = randomUUID();
    expect(await send(yuki, conversation, "On my way", key)).toMatchObject({ status: 201 });
    await using removing = await hold(service.databaseUrl, "SELECT 1 FROM conversations WHERE id = $1 FOR UPDATE", [
      conversation.id,
    ]);
    const before = send(ada, conversation, "Still here?");
    await removing.blocks(1);
    // Both wait behind Ada's message. The response to a later request shows that they have arrived.
    const retries = [send(yuki, conversation, "On my way", key), send(yuki, conversation, "On my way", key)];
    await yuki("GET", "/account");
    await removing.query("DELETE FROM members WHERE conversation_id = $1 AND user_id = $2", [conversation.id, yuki.userId]);
    await removing.query("COMMIT");
    expect(await before).toMatchObject({ status: 201 });
    for (const it of retries) expect(await it).toMatchObject({ status: 403, body: { code: "not_a_member" } });
  });
});

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

it("GET /conversations/{conversationId}/messages with concurrent writers and readers returns to every reader a prefix of the final order that contains every message acknowledged before the read", async () => {
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
