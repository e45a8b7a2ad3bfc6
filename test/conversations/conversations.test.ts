import { randomUUIDv7, randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { createCursors } from "../../src/pagination/cursor.ts";
import { openConversation, send, walk, withKey, type Conversation, pair, trio } from "../support/conversations.ts";
import type { Body, Client } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { hold } from "../support/locks.ts";
import { prepare } from "../support/prepare.ts";
import { problem } from "../support/problem.ts";
import { seededRandom } from "../support/seed.ts";
import { sentence } from "../support/sentence.ts";
import { startTestService } from "../support/service.ts";
import { notificationsOf } from "../support/notifications.ts";
import { startPlannedService } from "../support/plans.ts";
import { itNeeds } from "../support/needs.ts";

const SECRET = "a secret of these tests";
const service = prepare(() => startTestService({ ROLE: "api", CURSOR_SECRETS: SECRET }));

const ids = (items: readonly { id: string }[]) => items.map((it) => it.id);

/** Creates `count` conversations of one owner, oldest first. */
async function openMany(owner: Client, count: number): Promise<string[]> {
  const opened: string[] = [];
  for (let index = 0; index < count; index++) opened.push((await openConversation(owner, [owner], `Number ${index}`)).id);
  return opened;
}

describe("GET /conversations", () => {
  it(sentence("Returns every conversation that you are a member of."), async () => {
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

  it("lists older conversations on full pages, although the user has left newer ones", async () => {
    const [ada, tom] = [await service.as(), await service.as()];
    const kept = await openMany(ada, 3);
    for (let count = 0; count < 3; count++) {
      const left = await openConversation(tom, [ada]);
      expect(await ada("DELETE", `${left.members}/${ada.userId}`)).toMatchObject({ status: 204 });
    }
    expect(ids(await walk(ada, "/conversations?limit=1"))).toEqual(kept.toReversed());
    expect(ids((await ada("GET", "/conversations?limit=2")).body.data)).toEqual(kept.slice(1).toReversed());
  });

  it("lists a conversation at the position of its creation, whenever the user has joined it", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const opened = await openMany(ada, 3);
    for (const id of opened.toReversed()) await ada("PUT", `/conversations/${id}/members/${yuki.userId}`);
    expect(ids(await walk(yuki, "/conversations?limit=1"))).toEqual(opened.toReversed());
    expect(ids(await walk(yuki, "/conversations?limit=1&sort=created_at"))).toEqual(opened);
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
    `${sentence("One without messages counts with its creation.")} Each is listed once, across hours, if none moves: limit=%d`,
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

  it("has an older conversation with a newer message before a newer conversation, for a member who was added", async () => {
    const [ada, ben] = [await service.as(), await service.as()];
    const opened = await openMany(ada, 5);
    const [older, ...newer] = opened;
    const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);
    const change = (id: string, data: object) => service.db.conversation.update({ where: { id }, data });
    await change(older!, { createdAt: ago(9 * 3_600), lastMessageAt: ago(60) });
    for (const [hours, id] of newer.entries()) await change(id, { createdAt: ago((5 - hours) * 3_600) });
    for (const id of opened) await ada("PUT", `/conversations/${id}/members/${ben.userId}`);
    expect(ids(await walk(ben, `${BY_ACTIVITY}&limit=1`))).toEqual([older, ...newer.toReversed()]);
  });

  it("ends with each conversation that was active since the first page, however long ago that was", async () => {
    const ada = await service.as();
    const [moved, resting, newest] = (await openMany(ada, 3)) as [string, string, string];
    await age([moved, resting, newest], 25);
    const cursors = createCursors([SECRET]);
    const context = { operation: "listConversations", sort: "-last_message_at" };
    const { page } = (await ada("GET", `${BY_ACTIVITY}&limit=1`)).body;
    const [activeAt, id, start] = cursors.of(context).decode("after", page.next_cursor) as [number, string, number];
    // As if the first page was read a minute earlier, and the oldest conversation had got a message half a minute later.
    const cursor = cursors.of(context).encode([activeAt, id, start - 60_000]);
    const at = new Date(Date.now() - 30_000);
    await service.db.conversation.update({ where: { id: moved }, data: { lastMessageAt: at } });
    await service.db.listedConversation.updateMany({
      where: { conversationId: moved },
      data: { activeHour: new Date(Math.floor(at.getTime() / 3_600_000) * 3_600_000) },
    });
    expect(ids(await walk(ada, `${BY_ACTIVITY}&limit=1&after=${cursor}`))).toEqual([resting, moved]);
  });

  const ONCE = sentence("All others appear once.");
  it(`${ONCE} Of 200, one gets a message just before the first page`, async () => {
    const ada = await service.as();
    const opened = await openMany(ada, 200);
    await age(opened, 1);
    const hottest = opened[50]!;
    await sendTo(ada, hottest);
    const others = opened.toReversed().filter((it) => it !== hottest);
    for (const limit of [7, 100]) expect(ids(await walk(ada, `${BY_ACTIVITY}&limit=${limit}`))).toEqual([hottest, ...others]);
  });

  it.each([1, 5, 40])(`${ONCE} All were created just before the first page of %d`, async (limit) => {
    const ada = await service.as();
    const opened = await openMany(ada, 50);
    expect(ids(await walk(ada, `${BY_ACTIVITY}&limit=${limit}`))).toEqual(opened.toReversed());
  });

  const MORE =
    "Only if more than 50 were active in the 15 seconds before the first page, further ones of these can appear twice, too.";
  it(sentence(MORE), async () => {
    const ada = await service.as();
    const opened = await openMany(ada, 60);
    const listed = ids(await walk(ada, `${BY_ACTIVITY}&limit=9`));
    expect(listed.slice(0, 60)).toEqual(opened.toReversed());
    expect(listed.slice(60).filter((it) => !opened.slice(0, 10).includes(it))).toEqual([]);
  });

  it("has a conversation whose message has its time before the first page and is committed after it", async () => {
    const ada = await service.as();
    const opened = await openMany(ada, 6);
    await age(opened, 7);
    const [late, hottest] = [opened[0]!, opened[3]!];
    await sendTo(ada, hottest);
    await using sending = await hold(
      service.databaseUrl,
      "SELECT * FROM send_messages($1::uuid, ARRAY[$2::uuid], ARRAY[$3::uuid], ARRAY['Ada'], ARRAY['Late'], ARRAY['a-key-of-its-own'])",
      [late, randomUUIDv7(), ada.userId],
    );
    const listed: Body[] = [];
    const beforePageMs = Date.now();
    const first = await ada("GET", `${BY_ACTIVITY}&limit=2`);
    const firstPageMs = Date.now();
    // The list ends with what was active since 15 s before the first page: a commit can be that much later than its message.
    const context = { operation: "listConversations", sort: "-last_message_at" };
    const since = Number(
      createCursors([SECRET])
        .of(context)
        .decode("after", first.body.page.next_cursor as string)[2],
    );
    expect(since).toBeGreaterThanOrEqual(beforePageMs - 15_000);
    expect(since).toBeLessThanOrEqual(firstPageMs - 15_000);
    await sending.query("COMMIT");
    listed.push(...first.body.data, ...(await walk(ada, `${BY_ACTIVITY}&limit=2&after=${first.body.page.next_cursor}`)));
    expect(ids(listed)).toEqual([hottest, opened[5], opened[4], opened[2], opened[1], late]);
    expect(listed.at(-1)).toMatchObject({ id: late, last_message: { excerpt: "Late" } });
    expect(Date.parse(listed.at(-1).last_message_at)).toBeLessThan(firstPageMs);
  });

  const TWICE = sentence("One that gets a message after the first page can appear twice, at its place and again at the end");
  it(`${TWICE}, and no other one, while messages are sent all the time`, async () => {
    const ada = await service.as();
    const opened = await openMany(ada, 40);
    await age(opened, 7);
    const random = seededRandom("writers");
    const sends: { readonly id: string; readonly endedMs: number }[] = [];
    let isOver = false;
    const writers = Array.from({ length: 3 }, async () => {
      while (!isOver) {
        const id = opened[random(opened.length)]!;
        await sendTo(ada, id);
        sends.push({ id, endedMs: performance.now() });
      }
    });
    await eventually("some messages before the first page", () => Promise.resolve(sends.length > 20));
    const startedMs = performance.now();
    const listed = ids(await walk(ada, `${BY_ACTIVITY}&limit=3`));
    isOver = true;
    await Promise.all(writers);
    const after = new Set(sends.filter((it) => it.endedMs > startedMs).map((it) => it.id));
    const unmoved = opened.filter((it) => !after.has(it));
    expect(unmoved.filter((it) => listed.filter((id) => id === it).length !== 1)).toEqual([]);
    expect(opened.filter((it) => !listed.includes(it))).toEqual([]);
  });

  it("continues with a cursor of release 1.2.0, which has no marks", async () => {
    const ada = await service.as();
    const opened = await openMany(ada, 4);
    const context = { operation: "listConversations", sort: "-last_message_at" };
    const { body } = await ada("GET", `${BY_ACTIVITY}&limit=2`);
    const cursors = createCursors([SECRET]);
    const [activeAt, id, since] = cursors.of(context).decode("after", body.page.next_cursor as string);
    const after = cursors.of(context).encode([activeAt!, id!, since!]);
    const listed = ids(await walk(ada, `${BY_ACTIVITY}&limit=2&after=${after}`));
    // The conversations of its pages are repeated, as that release does.
    expect(listed).toEqual([opened[1], opened[0], opened[3], opened[2]]);
    const moved = cursors.of(context).encode([Date.now() + 60_000, id!, since!, "moved"]);
    expect(ids(await walk(ada, `${BY_ACTIVITY}&limit=9&after=${moved}`))).toEqual(opened.toReversed());
  });

  const MOVING = "a conversation that gets a message while you page is never missed";
  it(`${sentence(MOVING)}, and the list ends`, async () => {
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

/** The statement with which PostgreSQL checks a foreign key of a new row. */
const FOREIGN_KEY_CHECK = /^SELECT 1 FROM ONLY \S+ x WHERE .* FOR KEY SHARE OF x$/;

describe("POST /conversations", () => {
  const OWN_ID = sentence("You become a member in any case; including your own id changes nothing.");
  it(`${OWN_ID} ${sentence("Each of the other members gets a notification.")}`, async () => {
    const [ada, yuki, tom] = [await service.as(), await service.as(), await service.as()];
    const member_ids = [yuki.userId, ada.userId, tom.userId];
    const created = await ada("POST", "/conversations", { title: "Boathouse roof", member_ids }, withKey());
    expect(created).toMatchObject({
      status: 201,
      body: { title: "Boathouse roof", created_by: ada.userId, member_count: 3, last_message_at: null },
    });
    expect(created.headers.get("location")).toBe(`/conversations/${created.body.id}`);
    expect(created.headers.has("idempotency-replayed")).toBe(false);
    for (const member of [ada, yuki, tom])
      expect(await member("GET", created.headers.get("location")!)).toMatchObject({ status: 200, body: created.body });
    const { body } = await yuki("GET", `${created.headers.get("location")}/members`);
    expect(new Map(body.data.map((it: { user_id: string; role: string }) => [it.user_id, it.role]))).toEqual(
      new Map([
        [ada.userId, "owner"],
        [yuki.userId, "member"],
        [tom.userId, "member"],
      ]),
    );
    for (const it of [yuki, tom]) expect(await notificationsOf(it)).toEqual([["conversation.member_added", created.body.id]]);
    expect(await notificationsOf(ada)).toEqual([]);
  });

  it(sentence("The same users can have any number of conversations."), async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const opened = [await openConversation(ada, [yuki]), await openConversation(ada, [yuki])];
    expect(new Set(opened.map((it) => it.id)).size).toBe(2);
  });

  it("accepts 99 other members, which makes 100 members, of whom the owner is the first to have joined", async () => {
    const others = await Promise.all(Array.from({ length: 99 }, () => service.as()));
    // The id of the owner comes after all others.
    const ada = await service.as();
    const created = await ada("POST", "/conversations", { member_ids: others.map((it) => it.userId) }, withKey());
    expect(created).toMatchObject({ status: 201, body: { member_count: 100 } });
    // All others have joined at the same time, so pages end between them.
    const listed = await walk(ada, `${created.headers.get("location")}/members?limit=30`);
    const [first, ...rest] = listed as { user_id: string; role: string; joined_at: string }[];
    expect(first).toMatchObject({ user_id: ada.userId, role: "owner" });
    expect(rest.map((it) => it.user_id).toSorted()).toEqual(others.map((it) => it.userId).toSorted());
    expect(rest.filter((it) => it.role !== "member" || it.joined_at <= first!.joined_at)).toEqual([]);
  });

  it(sentence("If one of the users doesn't exist, you get 422 `unknown_user`, and nothing is created."), async () => {
    const [ada, yuki, gone] = [await service.as(), await service.as(), await service.as()];
    await service.db.user.update({ where: { id: gone.userId }, data: { deletedAt: new Date() } });
    const answer = await ada(
      "POST",
      "/conversations",
      { member_ids: [yuki.userId, randomUUIDv7(), ada.userId, gone.userId] },
      withKey(),
    );
    expect(answer).toMatchObject({
      status: 422,
      body: {
        code: "unknown_user",
        errors: [
          { in: "body", pointer: "/member_ids/1" },
          { in: "body", pointer: "/member_ids/3" },
        ],
      },
    });
    expect(await ada("POST", "/conversations", { member_ids: [gone.userId] }, withKey())).toMatchObject(
      problem(422, "unknown_user", { errors: [{ in: "body", pointer: "/member_ids/0" }] }),
    );
    expect((await ada("GET", "/conversations")).body.data).toEqual([]);
    expect((await yuki("GET", "/notifications")).body.data).toEqual([]);
  });
});

it("POST /conversations processes the retry of a failed request, and then replays it, even after the deletion", async () => {
  const [ada, key, id] = [await service.as(), randomUUID(), randomUUIDv7()];
  const open = () => ada("POST", "/conversations", { member_ids: [id] }, withKey(key));
  expect(await open()).toMatchObject({ status: 422 });
  await service.db.user.create({ data: { id, displayName: "Late" } });
  const first = await open();
  expect(first).toMatchObject({ status: 201 });
  for (const it of [id, ada.userId]) await ada("DELETE", `/conversations/${first.body.id}/members/${it}`);
  expect(await ada("GET", `/conversations/${first.body.id}`)).toMatchObject({ status: 404 });
  expect(await open()).toMatchObject({ status: 201, text: first.text });
});

describe("POST /conversations with 99 other members", () => {
  itNeeds(
    "one server",
    "is one statement, which runs three more in triggers and three in functions, besides the checks of the foreign keys",
    async () => {
      await using planned = await startPlannedService(async () => {}, { ROLE: "api" });
      const others = await Promise.all(Array.from({ length: 99 }, () => planned.as()));
      const ada = await planned.as();
      const member_ids = others.map((it) => it.userId);
      // For the second request, the credential is cached.
      for (const _ of [1, 2]) {
        const { result, statements } = await planned.statementsOf(() => ada("POST", "/conversations", { member_ids }, withKey()));
        expect(result).toMatchObject({ status: 201, body: { member_count: 100 } });
        expect(
          statements.map((it) => it.sql).filter((sql) => !FOREIGN_KEY_CHECK.test(sql) && !/FROM api_keys/.test(sql)),
        ).toEqual([
          expect.stringContaining("INSERT INTO idempotency_keys"),
          expect.stringContaining("INSERT INTO notifications"),
          expect.stringContaining("FROM webhook_endpoints"),
          expect.stringContaining("UPDATE conversations"),
          expect.stringContaining("UPDATE members"),
          expect.stringContaining("FROM inserted GROUP BY"),
          expect.stringContaining("INSERT INTO conversations"),
        ]);
      }
    },
  );
});

it("a message is as little known to a user who is not a member as one that doesn't exist", async () => {
  const [ada, stranger] = [await service.as(), await service.as()];
  const conversation = await openConversation(ada, [ada]);
  const { body: message } = await send(ada, conversation, "Not for you.");
  for (const id of [message.id, randomUUIDv7()])
    expect(await stranger("GET", `${conversation.messages}/${id}`)).toMatchObject(problem(403, "not_a_member"));
});

describe("PATCH /conversations/{conversationId}", () => {
  it(`${sentence("Replaces the title, which you can't remove.")} Also where there was none, and nothing else`, async () => {
    const { ada, yuki, conversation } = await pair(service);
    const { body: before } = await yuki("GET", conversation.path);
    expect(before.title).toBeNull();
    expect(await ada("PATCH", conversation.path, { title: "Roof" })).toMatchObject({
      status: 200,
      body: { ...before, title: "Roof" },
    });
    expect((await yuki("GET", conversation.path)).body).toEqual({ ...before, title: "Roof" });
    expect((await yuki("GET", "/conversations")).body.data).toEqual([{ ...before, title: "Roof" }]);
  });

  it(sentence("Existing notifications keep the old title; the next event shows the new one."), async () => {
    const [ada, yuki] = [await service.as({ name: "Ada" }), await service.as()];
    const conversation = await openConversation(ada, [yuki], "Roof");
    await send(ada, conversation, "One");
    const [{ id }] = (await yuki("GET", "/notifications?kind=message.created")).body.data;
    const before = await yuki("GET", `/notifications/${id}`);
    expect(before.body.title).toBe("Ada wrote in Roof");
    await ada("PATCH", conversation.path, { title: "Doors" });
    const tag = { headers: { "If-None-Match": before.headers.get("etag")! } };
    expect(await yuki("GET", `/notifications/${id}`, undefined, tag)).toMatchObject({ status: 304 });
    await send(ada, conversation, "Two");
    expect((await yuki("GET", `/notifications/${id}`)).body.title).toBe("Ada wrote in Doors");
  });

  it("writes nothing for the same title", async () => {
    const ada = await service.as();
    const { id, path } = await openConversation(ada, [ada], "Roof");
    const version = () => service.db.$queryRaw`SELECT xmin::text FROM conversations WHERE id = ${id}::uuid`;
    const before = await version();
    expect(await ada("PATCH", path, { title: "Roof" })).toMatchObject({ status: 200, body: { title: "Roof" } });
    expect(await version()).toEqual(before);
  });

  const LAST = "Only the owner can change it. If two requests change it at the same time, the last one wins.";
  it.each([
    ["wins over another one that comes first", { title: "Doors" }, 200, "Floor"],
    ["is refused after a hand-over that comes first", { role: "owner" }, 403, "Roof"],
  ])(`${sentence(LAST)} One that waits for the conversation %s`, async (_what, first, status, title) => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const { id, path, members } = await openConversation(ada, [yuki], "Roof");
    await using holder = await hold(service.databaseUrl, "SELECT 1 FROM conversations WHERE id = $1::uuid FOR UPDATE", [id]);
    const earlier = ada("PATCH", "role" in first ? `${members}/${yuki.userId}` : path, first);
    await holder.blocks(1);
    const later = ada("PATCH", path, { title: "Floor" });
    await holder.blocks(2);
    await holder.release();
    expect([(await earlier).status, (await later).status]).toEqual([200, status]);
    expect((await ada("GET", path)).body.title).toBe(title);
  });
});

/** The number of unread messages that a user is notified of, and of additions. */
async function notifiedOf(member: Client): Promise<Record<string, number>> {
  const { body } = await member("GET", "/notifications?status=unread");
  return Object.fromEntries(body.data.map((it: { kind: string; event_count: number }) => [it.kind, it.event_count]));
}
const mute = (member: Client, { path }: Conversation) => member("PUT", `${path}/mute`);

describe("PUT /conversations/{conversationId}/mute", () => {
  const ONLY_YOU = sentence("This concerns only you: other members are notified as before and don't learn of it.");
  it(`${ONLY_YOU} In this conversation only, also if the member sends at the same time`, async () => {
    const { ada, yuki, tom, conversation } = await trio(service);
    const other = await openConversation(ada, [yuki]);
    expect(await mute(yuki, conversation)).toMatchObject({ status: 204 });
    await Promise.all(Array.from({ length: 30 }, (_, n) => send([ada, yuki, tom][n % 3]!, conversation, `Message ${n}`)));
    expect(await notifiedOf(yuki)).toEqual({ "conversation.member_added": 1 });
    expect(await yuki("GET", conversation.path)).toMatchObject({ body: { muted: true } });
    expect(await tom("GET", conversation.path)).toMatchObject({ body: { muted: false } });
    for (const it of [ada, tom])
      expect((await notifiedOf(it))["message.created"] ?? 0).toBe((await it("GET", conversation.path)).body.unread_count);
    await send(ada, other, "Elsewhere");
    expect(await notifiedOf(yuki)).toEqual({ "conversation.member_added": 1, "message.created": 1 });
  });

  const ENDS = "Existing notifications stay. Repeating the request changes nothing, and leaving the conversation ends it.";
  it(sentence(ENDS), async () => {
    const { ada, yuki, conversation } = await pair(service);
    await send(ada, conversation, "One");
    const version = () => service.db.$queryRaw`SELECT xmin::text FROM members WHERE user_id = ${yuki.userId}::uuid`;
    const versions: unknown[] = [];
    for (const _ of ["first", "again"]) {
      expect(await mute(yuki, conversation)).toMatchObject({ status: 204 });
      versions.push(await version());
    }
    expect(versions[0]).toEqual(versions[1]);
    await send(ada, conversation, "Two");
    const { body } = await yuki("GET", "/notifications?kind=message.created");
    expect(body).toMatchObject({ unread_count: 2, data: [{ body: "One", event_count: 1 }] });
    await yuki("DELETE", `${conversation.members}/${yuki.userId}`);
    await ada("PUT", `${conversation.members}/${yuki.userId}`);
    await send(ada, conversation, "Welcome back");
    expect(await notifiedOf(yuki)).toEqual({ "conversation.member_added": 1, "message.created": 1 });
  });
});

const AGAIN =
  "Messages that others send from now on notify you again. Those that were sent while the conversation was muted don't.";
it(`DELETE /conversations/{conversationId}/mute: ${sentence(AGAIN)} ${sentence("If the conversation is not muted, nothing changes.")}`, async () => {
  const { ada, yuki, conversation } = await pair(service);
  await yuki("PUT", `${conversation.path}/mute`);
  await send(ada, conversation, "Not heard");
  for (const _ of ["first", "again"]) expect(await yuki("DELETE", `${conversation.path}/mute`)).toMatchObject({ status: 204 });
  expect(await yuki("GET", conversation.path)).toMatchObject({ body: { muted: false, unread_count: 1 } });
  await send(ada, conversation, "Heard");
  expect((await yuki("GET", "/notifications?kind=message.created")).body.data).toMatchObject([{ body: "Heard", event_count: 1 }]);
});
