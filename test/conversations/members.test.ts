import { randomUUIDv7 } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { tables } from "#generated/tables.ts";
import { findOverdue } from "../../src/conversations/conversations/store.ts";
import { removeConversation } from "../../src/conversations/jobs.ts";
import { createDependents } from "../../src/jobs/dependents.ts";
import type { Execution } from "../../src/jobs/job.ts";
import type { JobQueue } from "../../src/jobs/jobs.ts";
import { openConversation, send, sendMany, walk, type Conversation, pair, trio } from "../support/conversations.ts";
import { prepare } from "../support/prepare.ts";
import { problem } from "../support/problem.ts";
import { sentence } from "../support/sentence.ts";
import { startTestService } from "../support/service.ts";
import { notificationsOf } from "../support/notifications.ts";
import type { Answer, Client, Body } from "../support/client.ts";
import { hold } from "../support/locks.ts";
import { itNeeds } from "../support/needs.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

const userIds = (members: readonly { user_id: string }[]) => members.map((it) => it.user_id);

describe("GET /conversations/{conversationId}/members", () => {
  it(sentence("Members are listed in the order in which they joined, messages by `sequence`."), async () => {
    const [ada, yuki, tom] = [
      await service.as({ name: "Ada Marsh" }),
      await service.as({ name: "Yuki Brandt" }),
      await service.as({ name: "Tomás Oyelaran" }),
    ];
    const conversation = await openConversation(ada, [yuki]);
    const added = await ada("PUT", `${conversation.members}/${tom.userId}`);
    const { status, body } = await yuki("GET", conversation.members);
    expect({ status, ...body }).toMatchObject({
      status: 200,
      data: [
        { user_id: ada.userId, display_name: "Ada Marsh", role: "owner" },
        { user_id: yuki.userId, display_name: "Yuki Brandt", role: "member" },
        added.body,
      ],
      page: { limit: 20, next_cursor: null },
    });
    expect(added.body).toMatchObject({ user_id: tom.userId, display_name: "Tomás Oyelaran", role: "member" });
  });

  it(`${sentence("Users who have left are not listed, but their messages stay.")} If they return, they are last`, async () => {
    const { ada, yuki, tom, conversation } = await trio(service);
    await send(yuki, conversation, "Hello");
    await yuki("DELETE", `${conversation.members}/${yuki.userId}`);
    expect(userIds((await ada("GET", conversation.members)).body.data)).toEqual([ada.userId, tom.userId]);
    expect((await ada("GET", conversation.messages)).body.data).toHaveLength(1);
    await ada("PUT", `${conversation.members}/${yuki.userId}`);
    expect(userIds((await ada("GET", conversation.members)).body.data)).toEqual([ada.userId, tom.userId, yuki.userId]);
  });
});

describe("PUT /conversations/{conversationId}/members/{user_id}", () => {
  const ADDED =
    "You get 201 if this request added the user, and 200 if the user was already a member; then the role and `joined_at` don't change.";
  it(`${sentence(ADDED)} ${sentence("If the user doesn't exist, you get 422 `unknown_user`.")}`, async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const conversation = await openConversation(ada, [ada]);
    const answers = await Promise.all(Array.from({ length: 10 }, () => ada("PUT", `${conversation.members}/${yuki.userId}`)));
    expect(answers.map((it) => it.status).toSorted()).toEqual([200, 200, 200, 200, 200, 200, 200, 200, 200, 201]);
    expect(new Set(answers.map((it) => it.text)).size).toBe(1);
    expect((await yuki("GET", "/notifications")).body.data).toHaveLength(1);
    expect(await ada("PUT", `${conversation.members}/${ada.userId}`)).toMatchObject({ status: 200, body: { role: "owner" } });
    const unknown = await ada("PUT", `${conversation.members}/${randomUUIDv7()}`);
    expect(unknown).toMatchObject({ status: 422, body: { code: "unknown_user" } });
  });

  it(sentence("The new member can read all earlier messages and gets a notification."), async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const conversation = await openConversation(ada, [ada]);
    await sendMany(ada, conversation, 3);
    await ada("PUT", `${conversation.members}/${yuki.userId}`);
    expect(await walk(yuki, `${conversation.messages}?limit=2`, "before")).toHaveLength(3);
    expect(await notificationsOf(yuki)).toEqual([["conversation.member_added", conversation.id]]);
  });

  it(sentence("Adds a user to the conversation. Only the owner can add members."), async () => {
    const [ada, yuki, tom] = [await service.as(), await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki]);
    for (const id of [tom.userId, ada.userId, yuki.userId, randomUUIDv7()]) {
      expect(await yuki("PUT", `${conversation.members}/${id}`)).toMatchObject({ status: 403, body: { code: "not_the_owner" } });
    }
    expect(await ada("GET", conversation.path)).toMatchObject({ body: { member_count: 2 } });
  });

  const FULL = sentence("If the conversation already has 100 members, you get 409 `conversation_full`.");
  it(`${FULL} Also when three requests compete for the last membership`, async () => {
    const ada = await service.as();
    const others = await Promise.all(Array.from({ length: 101 }, () => service.as()));
    const conversation = await openConversation(ada, others.slice(0, 98));
    expect(await ada("GET", conversation.path)).toMatchObject({ body: { member_count: 99 } });
    const answers = await Promise.all(others.slice(98).map((it) => ada("PUT", `${conversation.members}/${it.userId}`)));
    expect(answers.map((it) => it.status).toSorted()).toEqual([201, 409, 409]);
    expect(answers.find((it) => it.status === 409)?.body.code).toBe("conversation_full");
    expect(await ada("GET", conversation.path)).toMatchObject({ body: { member_count: 100 } });
    // An existing member still gets 200, and a new member can join after another leaves.
    expect(await ada("PUT", `${conversation.members}/${others[0]!.userId}`)).toMatchObject({ status: 200 });
    await ada("DELETE", `${conversation.members}/${others[0]!.userId}`);
    expect(await ada("PUT", `${conversation.members}/${others[0]!.userId}`)).toMatchObject({ status: 201 });
  });
});

type Group = { readonly ada: Client; readonly yuki: Client; readonly tom: Client; readonly conversation: Conversation };

/** A conversation that Ada owns, with members who joined in this order: Ada, Yuki, Tom. */
async function group(): Promise<Group> {
  const [ada, yuki, tom] = [await service.as(), await service.as(), await service.as()];
  const conversation = await openConversation(ada, [yuki]);
  await ada("PUT", `${conversation.members}/${tom.userId}`);
  return { ada, yuki, tom, conversation };
}

const handOver = (owner: Client, { members }: Conversation, to: string) => owner("PATCH", `${members}/${to}`, { role: "owner" });
const remove = (caller: Client, { members }: Conversation, who: Client) => caller("DELETE", `${members}/${who.userId}`);
const ownersSeenBy = async (member: Client, { members }: Conversation): Promise<string[]> =>
  (await member("GET", members)).body.data
    .filter((it: { role: string }) => it.role === "owner")
    .map((it: { user_id: string }) => it.user_id);

/** Sends requests that wait for the conversation one after the other, in this order. */
async function inLine({ conversation }: Group, requests: readonly (() => Promise<Answer>)[]): Promise<Answer[]> {
  const lock = "SELECT 1 FROM conversations WHERE id = $1::uuid FOR UPDATE";
  await using holder = await hold(service.databaseUrl, lock, [conversation.id]);
  const sent: Promise<Answer>[] = [];
  for (const request of requests) {
    sent.push(request());
    await holder.blocks(sent.length);
  }
  await holder.release();
  return await Promise.all(sent);
}

describe("PATCH /conversations/{conversationId}/members/{user_id}", () => {
  const IN_YOUR_PLACE =
    "Makes a member the owner in your place; you stay as a member. Only the owner can do this. Naming yourself changes nothing.";
  const RETRY =
    "If you retry after losing the response, you get 403 `not_the_owner` if the first request succeeded: list the members to see the owner.";
  it(`${sentence(IN_YOUR_PLACE)} ${sentence(RETRY)}`, async () => {
    const { ada, yuki, tom, conversation } = await group();
    const before = (await ada("GET", conversation.members)).body.data;
    expect(await handOver(ada, conversation, ada.userId)).toMatchObject({ status: 200, body: before[0] });
    expect((await ada("GET", conversation.members)).body.data).toEqual(before);
    expect(await handOver(ada, conversation, tom.userId)).toMatchObject({ status: 200, body: { ...before[2], role: "owner" } });
    expect((await yuki("GET", conversation.members)).body.data).toEqual([
      { ...before[0], role: "member" },
      before[1],
      { ...before[2], role: "owner" },
    ]);
    for (const refused of [await handOver(ada, conversation, tom.userId), await remove(ada, conversation, yuki)])
      expect(refused).toMatchObject({ status: 403, body: { code: "not_the_owner" } });
    expect(await remove(tom, conversation, ada)).toMatchObject({ status: 204 });
  });

  const TWO = "If the user is not a member, you get 404. Of two requests at the same time, the second gets 403 `not_the_owner`.";
  it(sentence(TWO), async () => {
    const { ada, yuki, tom, conversation } = await group();
    const former = await service.as();
    await ada("PUT", `${conversation.members}/${former.userId}`);
    await remove(ada, conversation, former);
    for (const id of [former.userId, (await service.as()).userId, randomUUIDv7()])
      expect(await handOver(ada, conversation, id)).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect(await ownersSeenBy(tom, conversation)).toEqual([ada.userId]);
    const successors = [yuki, tom, yuki, tom, yuki, tom, yuki, tom, yuki, tom];
    const answers = await Promise.all(successors.map((it) => handOver(ada, conversation, it.userId)));
    const accepted = answers.filter((it) => it.status === 200);
    expect(accepted).toHaveLength(1);
    expect(answers.filter((it) => it.body.code === "not_the_owner")).toHaveLength(9);
    expect(await ownersSeenBy(ada, conversation)).toEqual([accepted[0]!.body.user_id]);
  });

  it("shows exactly one owner in each list that is read while the ownership is transferred repeatedly, and stores the messages sent at the same time", async () => {
    const { ada, yuki, tom, conversation } = await group();
    const reader = await service.as();
    await ada("PUT", `${conversation.members}/${reader.userId}`);
    const round = [ada, yuki, tom];
    let isOver = false;
    const counts: number[] = [];
    const reading = (async () => {
      while (!isOver) counts.push((await ownersSeenBy(reader, conversation)).length);
    })();
    const sending = Promise.all(round.map((it) => send(it, conversation, "While the owner changes")));
    for (let n = 0; n < 30; n++)
      expect(await handOver(round[n % 3]!, conversation, round[(n + 1) % 3]!.userId)).toMatchObject({ status: 200 });
    isOver = true;
    await reading;
    expect(new Set(counts)).toEqual(new Set([1]));
    expect((await sending).map((it) => it.status)).toEqual([201, 201, 201]);
  });

  const toYuki = ({ ada, yuki, conversation }: Group) => handOver(ada, conversation, yuki.userId);
  const toTom = ({ ada, tom, conversation }: Group) => handOver(ada, conversation, tom.userId);
  const adaLeaves = ({ ada, conversation }: Group) => remove(ada, conversation, ada);
  const adaRemovesYuki = ({ ada, yuki, conversation }: Group) => remove(ada, conversation, yuki);
  const yukiLeaves = ({ yuki, conversation }: Group) => remove(yuki, conversation, yuki);
  it.each([
    ["a hand-over, then another one", [toYuki, toTom], [200, 403], "yuki"],
    [
      "a hand-over, then the successor leaves",
      [toTom, ({ tom, conversation }: Group) => remove(tom, conversation, tom)],
      [200, 204],
      "ada",
    ],
    ["the successor leaves, then a hand-over", [yukiLeaves, toYuki], [204, 404], "ada"],
    ["a hand-over, then the former owner leaves", [toTom, adaLeaves], [200, 204], "tom"],
    ["the owner leaves, then a hand-over", [adaLeaves, toTom], [204, 403], "yuki"],
    ["a hand-over, then the former owner removes the successor", [toYuki, adaRemovesYuki], [200, 403], "yuki"],
    ["the owner removes the successor, then a hand-over", [adaRemovesYuki, toYuki], [204, 404], "ada"],
  ] as const)("leaves one owner after %s, if both wait for the conversation", async (_what, requests, statuses, owner) => {
    const people = await group();
    const answers = await inLine(
      people,
      requests.map((it) => () => it(people)),
    );
    expect(answers.map((it) => it.status)).toEqual(statuses);
    expect(await ownersSeenBy(people[owner], people.conversation)).toEqual([people[owner].userId]);
  });

  it("is not the only guard against a second owner: the database refuses one from any version of the service", async () => {
    const { conversation } = await group();
    await expect(
      service.db.$executeRaw`UPDATE members SET role = 'owner' WHERE conversation_id = ${conversation.id}::uuid`,
    ).rejects.toMatchObject({ message: expect.stringContaining("23505") });
  });
});

const leave = (member: Client, conversation: Conversation) => member("DELETE", `${conversation.members}/${member.userId}`);

describe("DELETE /conversations/{conversationId}/members/{user_id}", () => {
  it(sentence("If the user is not a member, you get 404. The messages of the user stay in the conversation."), async () => {
    const { ada, yuki, conversation } = await pair(service);
    await send(yuki, conversation, "I was here");
    expect(await ada("DELETE", `${conversation.members}/${yuki.userId}`)).toMatchObject({ status: 204 });
    expect((await ada("GET", conversation.messages)).body.data).toMatchObject([{ body: "I was here", sender_id: yuki.userId }]);
    for (const id of [yuki.userId, (await service.as()).userId, randomUUIDv7()])
      expect(await ada("DELETE", `${conversation.members}/${id}`)).toMatchObject({ status: 404, body: { code: "not_found" } });
  });

  const OTHERS = sentence("If you are not the owner and the user is someone else, you get 403 `not_the_owner`.");
  const RETRY = sentence("If you retry after leaving, you get 403 `not_a_member`: the first request succeeded.");
  it(`${OTHERS} ${RETRY}`, async () => {
    const { ada, yuki, conversation } = await pair(service);
    const removing = await yuki("DELETE", `${conversation.members}/${ada.userId}`);
    expect(removing).toMatchObject({ status: 403, body: { code: "not_the_owner" } });
    expect(await leave(yuki, conversation)).toMatchObject({ status: 204 });
    expect(await leave(yuki, conversation)).toMatchObject({ status: 403, body: { code: "not_a_member" } });
  });

  it(sentence("When the owner leaves, the member who joined first becomes the owner."), async () => {
    const [ada, yuki, tom, mara] = [await service.as(), await service.as(), await service.as(), await service.as()];
    const conversation = await openConversation(ada, [tom]);
    await ada("PUT", `${conversation.members}/${yuki.userId}`);
    await ada("PUT", `${conversation.members}/${mara.userId}`);
    expect(await leave(ada, conversation)).toMatchObject({ status: 204 });
    expect((await mara("GET", conversation.members)).body.data).toMatchObject([
      { user_id: tom.userId, role: "owner" },
      { user_id: yuki.userId, role: "member" },
      { user_id: mara.userId, role: "member" },
    ]);
    // The new owner has the rights of an owner, and can add the former owner as a member.
    expect(await tom("PUT", `${conversation.members}/${ada.userId}`)).toMatchObject({ status: 201, body: { role: "member" } });
    await leave(tom, conversation);
    expect((await mara("GET", conversation.members)).body.data).toMatchObject([
      { user_id: yuki.userId, role: "owner" },
      { user_id: mara.userId, role: "member" },
      { user_id: ada.userId, role: "member" },
    ]);
    expect(await mara("GET", conversation.path)).toMatchObject({ body: { created_by: ada.userId } });
  });

  const READ = "When a membership ends, the notifications of that user about the conversation are marked as read.";
  it.each(["leave", "are removed"])(`${sentence(READ)} Users who %s, and return, count only new messages`, async (way) => {
    const { ada, yuki, conversation } = await pair(service);
    for (const text of ["One", "Two"]) await send(ada, conversation, text);
    await (way === "leave" ? yuki : ada)("DELETE", `${conversation.members}/${yuki.userId}`);
    const notices = async () => {
      const { body } = await yuki("GET", "/notifications");
      return [body.unread_count, ...(body.data as Body[]).map((it) => [it.kind, it.status, it.event_count])];
    };
    expect(await notices()).toEqual([0, ["message.created", "read", 2], ["conversation.member_added", "read", 1]]);
    // As the previous release leaves it.
    await service.db.notification.updateMany({ where: { userId: yuki.userId }, data: { readAt: null } });
    await ada("PUT", `${conversation.members}/${yuki.userId}`);
    expect(await notices()).toEqual([1, ["conversation.member_added", "unread", 1], ["message.created", "read", 2]]);
    await send(ada, conversation, "Three");
    expect(await notices()).toEqual([2, ["message.created", "unread", 1], ["conversation.member_added", "unread", 1]]);
  });

  itNeeds("one server", "does not make the next member the owner if that member leaves at the same time", async () => {
    const [ada, yuki, tom] = [await service.as(), await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki]);
    await ada("PUT", `${conversation.members}/${tom.userId}`);
    await service.db.$executeRawUnsafe(
      "CREATE FUNCTION wait_to_leave() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(4243); RETURN OLD; END $$",
    );
    await service.db.$executeRawUnsafe(
      `CREATE TRIGGER wait_to_leave AFTER DELETE ON members FOR EACH ROW WHEN (OLD.user_id = '${yuki.userId}') EXECUTE FUNCTION wait_to_leave()`,
    );
    await using holder = await hold(service.databaseUrl, "SELECT pg_advisory_xact_lock(4243)");
    const heir = leave(yuki, conversation);
    await holder.blocks(1);
    const owner = leave(ada, conversation);
    await holder.blocks(2);
    await holder.release();
    expect([(await heir).status, (await owner).status]).toEqual([204, 204]);
    expect((await tom("GET", conversation.members)).body.data).toMatchObject([{ user_id: tom.userId, role: "owner" }]);
    await service.db.$executeRaw`DROP TRIGGER wait_to_leave ON members`;
  });

  const LAST = "When the last member leaves, the conversation and its messages are deleted, and its id returns 404 from then on.";
  it(`${sentence(LAST)} Also when all members leave at the same time`, async () => {
    const members = await Promise.all(Array.from({ length: 8 }, () => service.as()));
    const conversation = await openConversation(members[0]!, members);
    const { body: message } = await send(members[0]!, conversation, "Hello");
    expect((await Promise.all(members.map((it) => leave(it, conversation)))).map((it) => it.status)).toEqual(
      members.map(() => 204),
    );
    for (const path of [conversation.path, conversation.messages, `${conversation.messages}/${message.id}`])
      expect(await members[0]!("GET", path)).toMatchObject({ status: 404 });
    expect(await service.db.member.count({ where: { conversationId: conversation.id } })).toBe(0);
  });

  const ABOUT = sentence("When the last member leaves a conversation, the notifications about it are deleted.");
  it(`${ABOUT} By a job, with all that is left of it, and nothing of a conversation that still has a member`, async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const [over, other] = [await openConversation(ada, [yuki]), await openConversation(ada, [yuki])];
    for (const it of [over, other]) await send(ada, it, "Hello");
    for (const it of [over, other]) expect(await leave(yuki, it)).toMatchObject({ status: 204 });
    expect(await leave(ada, over)).toMatchObject({ status: 204 });
    const { db } = service;
    // It enqueues nothing.
    const queue = {} as JobQueue;
    const execution = { signal: new AbortController().signal } as Execution;
    const left = async (conversationId: string) => [
      await db.conversation.count({ where: { id: conversationId } }),
      await db.message.count({ where: { conversationId } }),
      await db.formerMember.count({ where: { conversationId } }),
      await db.notification.count({ where: { subjectId: conversationId } }),
    ];
    expect([await left(over.id), await left(other.id)]).toEqual([
      [1, 1, 2, 2],
      [1, 1, 1, 2],
    ]);
    // One that has not ended after a day begins again.
    const isOverdue = async (seconds: number) => {
      const deletedAt = new Date(Date.now() - seconds * 1_000);
      await db.conversation.update({ where: { id: over.id }, data: { deletedAt } });
      return (await findOverdue(db)).some(({ id }) => id === over.id);
    };
    expect([await isOverdue(86_340), await isOverdue(86_460)]).toEqual([false, true]);
    for (const { id: conversationId } of [over, other])
      await removeConversation.perform({ db, queue, dependents: createDependents(tables, queue) }, { conversationId }, execution);
    expect([await left(over.id), await left(other.id)]).toEqual([
      [0, 0, 0, 0],
      [1, 1, 1, 2],
    ]);
  });

  it("either stores or refuses each message that a member sends while being removed", async () => {
    const { ada, yuki, conversation } = await pair(service);
    const [sends, removed] = await Promise.all([
      Promise.all(Array.from({ length: 10 }, (_, index) => send(yuki, conversation, `Message ${index}`))),
      ada("DELETE", `${conversation.members}/${yuki.userId}`),
    ]);
    expect(removed.status).toBe(204);
    for (const it of sends) expect([201, 403]).toContain(it.status);
    const { body } = await ada("GET", conversation.messages);
    expect(new Set(body.data.map((it: { id: string }) => it.id))).toEqual(
      new Set(sends.filter((it) => it.status === 201).map((it) => it.body.id)),
    );
  });
});

const read = (client: Client, { path }: Conversation, sequence: number) => client("PUT", `${path}/read-position`, { sequence });
const notifications = async (client: Client, status: string) =>
  (await client("GET", `/notifications?status=${status}`)).body.data.map((it: Body) => it.kind as string);

/** What a user reads of a conversation, which must be the same in the list. */
async function seen(client: Client, { id, path }: Conversation): Promise<Body> {
  const { body } = await client("GET", path);
  expect((await client("GET", "/conversations")).body.data.find((it: Body) => it.id === id)).toEqual(body);
  return body;
}
const counts = async (client: Client, conversation: Conversation) => {
  const { last_read_sequence: read, unread_count: unread } = await seen(client, conversation);
  return { read, unread };
};

describe("the read position of a member", () => {
  const JOIN = sentence("When you join, or join again, the position is that of the newest message.");
  it(`${JOIN} It starts at 0 of 0, and moves to the member's own messages`, async () => {
    const [ada, yuki, tom] = [await service.as({ name: "Ada" }), await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki]);
    expect(await seen(ada, conversation)).toMatchObject({
      last_message: null,
      last_read_sequence: 0,
      unread_count: 0,
      muted: false,
    });
    const text = `${"🛶".repeat(139)}🪵🪵`;
    const { body: message } = await send(ada, conversation, text);
    expect(await seen(yuki, conversation)).toMatchObject({
      last_message: {
        ...{ sequence: 1, created_at: message.created_at, excerpt: [...text].slice(0, 140).join("") },
        sender: { id: ada.userId, display_name: "Ada", deleted: false },
      },
      ...{ last_read_sequence: 0, unread_count: 1 },
    });
    expect(await counts(ada, conversation)).toEqual({ read: 1, unread: 0 });
    await send(yuki, conversation, "Two");
    expect(await counts(yuki, conversation)).toEqual({ read: 2, unread: 0 });
    expect(await counts(ada, conversation)).toEqual({ read: 1, unread: 1 });

    await ada("PUT", `${conversation.members}/${tom.userId}`);
    expect(await counts(tom, conversation)).toEqual({ read: 2, unread: 0 });
    await ada("DELETE", `${conversation.members}/${yuki.userId}`);
    expect((await yuki("GET", "/conversations")).body.data).toEqual([]);
    await send(ada, conversation, "Three");
    await ada("PUT", `${conversation.members}/${yuki.userId}`);
    expect(await counts(yuki, conversation)).toEqual({ read: 3, unread: 0 });
    expect(await counts(tom, conversation)).toEqual({ read: 2, unread: 1 });
  });

  const BACK = sentence("The position never goes back: a lower `sequence` changes nothing.");
  it(`${sentence("It never goes back.")} ${BACK} Nor before an own message; one of the future is refused`, async () => {
    const { ada, yuki, conversation } = await pair(service);
    await send(yuki, conversation, "One");
    await sendMany(ada, conversation, 3);
    expect(await counts(yuki, conversation)).toEqual({ read: 1, unread: 3 });
    for (const [sequence, last_read_sequence] of [
      [0, 1],
      [3, 3],
      [2, 3],
    ] as const) {
      const body = { last_read_sequence, unread_count: 4 - last_read_sequence };
      expect(await read(yuki, conversation, sequence)).toMatchObject({ status: 200, body });
      expect(await counts(yuki, conversation)).toEqual({ read: last_read_sequence, unread: 4 - last_read_sequence });
    }
    expect(await read(yuki, conversation, 5)).toMatchObject(problem(422, "unknown_sequence"));
    expect(await counts(yuki, conversation)).toEqual({ read: 3, unread: 1 });
  });

  it("moves to the newest own message of each sender of messages at the same time", async () => {
    const users = [await service.as(), await service.as(), await service.as()];
    const conversation = await openConversation(users[0]!, users.slice(1));
    await Promise.all(users.flatMap((it) => [1, 2, 3, 4].map((n) => send(it, conversation, `Message ${n}`))));
    const messages = (await users[0]!("GET", conversation.messages)).body.data as Body[];
    for (const user of users) {
      const own = messages.find((it) => it.sender_id === user.userId)!.sequence as number;
      expect(await counts(user, conversation)).toEqual({ read: own, unread: 12 - own });
    }
  });
});

describe("PUT /conversations/{conversationId}/read-position", () => {
  const MARKS = "Your notifications about the conversation are marked as read, unless they tell of a newer message.";
  it(sentence(MARKS), async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const [conversation, other] = [await openConversation(ada, [yuki]), await openConversation(ada, [yuki])];
    await send(ada, other, "Elsewhere");
    await sendMany(ada, conversation, 2);
    await read(yuki, conversation, 1);
    expect(await notifications(yuki, "read")).toEqual(["conversation.member_added"]);
    const [partly] = (await yuki("GET", "/notifications?status=unread&kind=message.created")).body.data as Body[];
    expect(partly).toMatchObject({ event_count: 1, updated_at: expect.anything() });
    await read(yuki, conversation, 2);
    expect((await notifications(yuki, "read")).toSorted()).toEqual(["conversation.member_added", "message.created"]);
    expect((await notifications(yuki, "unread")).toSorted()).toEqual(["conversation.member_added", "message.created"]);
  });

  it("marks the last notification before the conversation was muted as read", async () => {
    const { ada, yuki, conversation } = await pair(service);
    await send(ada, conversation, "One");
    await service.db.member.updateMany({
      where: { conversationId: conversation.id, userId: yuki.userId },
      data: { mutedAt: new Date() },
    });
    await sendMany(ada, conversation, 2);
    expect((await yuki("GET", "/notifications?kind=message.created")).body.data).toMatchObject([{ body: "One", event_count: 1 }]);
    expect(await seen(yuki, conversation)).toMatchObject({ muted: true, unread_count: 3 });
    expect((await read(yuki, conversation, 2)).body).toEqual({ last_read_sequence: 2, unread_count: 1 });
    expect(await notifications(yuki, "unread")).toEqual([]);
  });

  it("leaves a notification unread that counts a message committed during the request", async () => {
    const { ada, yuki, conversation } = await pair(service);
    await send(ada, conversation, "One");
    // Another transaction sends a message, and has not committed it when the request has seen the first one.
    const id = randomUUIDv7();
    await using sending = await hold(
      service.databaseUrl,
      "SELECT * FROM send_messages($1::uuid, ARRAY[$2::uuid], ARRAY[$3::uuid], ARRAY['Ada'], ARRAY['Two'], ARRAY['a-key-of-its-own'])",
      [conversation.id, id, ada.userId],
    );
    const answer = read(yuki, conversation, 1);
    await sending.blocks(1);
    await sending.query("COMMIT");
    expect((await answer).status).toBe(200);
    expect(await notifications(yuki, "unread")).toEqual(["message.created"]);
    expect(await counts(yuki, conversation)).toEqual({ read: 1, unread: 1 });
  });
});
