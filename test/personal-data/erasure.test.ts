import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { expect, it } from "@jest/globals";
import { pino } from "pino";
import { tables } from "#generated/tables.ts";
import { transaction } from "../../src/database/client.ts";
import { withSnapshot } from "../../src/database/snapshot.ts";
import { createDependents } from "../../src/jobs/dependents.ts";
import { countObjects } from "../../src/personal-data/objects.ts";
import { countMentions } from "../../src/personal-data/references-store.ts";
import { beginErasure, eraseUser } from "../../src/personal-data/service.ts";
import { removeUserRow } from "../../src/personal-data/store.ts";
import { openJobs } from "../../src/worker.ts";
import { createFileStore } from "../../src/storage/file-store.ts";
import { folderOf } from "../../src/video-uploads/objects/object-keys.ts";
import { DELETED_TEXT, DELETED_USER_ID } from "../../src/auth/deleted-user.ts";
import type { Body, Client } from "../support/client.ts";
import { openConversation, send, walk } from "../support/conversations.ts";
import { eventually } from "../support/eventually.ts";
import { hold } from "../support/locks.ts";
import { publish } from "../support/posts.ts";
import { prepare } from "../support/prepare.ts";
import { createEndpoint, startReceiver, type Received } from "../support/receiver.ts";
import { startTestService, startWorkerOf } from "../support/service.ts";
import { rowsWith } from "./someone.ts";

const WORD = "zebra0123456789abcdef";
const log = pino({ level: "silent" });

const service = prepare(() => startTestService({ ROLE: "api" }));
const jobs = prepare(() => openJobs(service.databaseUrl, { isWorker: false, log }));

/** Runs the job that removes a user. Returns in how many seconds it continues, or null if it is done. */
async function erase({ userId }: Client): Promise<number | null> {
  const { queue } = jobs;
  const env = {
    db: service.db,
    queue,
    objects: createFileStore(service.dataDir),
    log,
    dependents: createDependents(tables, queue),
  };
  let startAfter: number | null = null;
  const putBack = async (_tx: unknown, options: { readonly startAfter?: number }) => void (startAfter = options.startAfter ?? 0);
  await eraseUser(env, userId, { signal: new AbortController().signal, putBack });
  return startAfter;
}
const deletedAMinuteAgo = ({ userId }: Client) =>
  service.db.$executeRaw`UPDATE users SET deleted_at = now() - interval '1 minute' WHERE id = ${userId}::uuid`;

it("erasure removes the content of a user and not that of others; the row is removed when no request can run any more", async () => {
  const [ada, bob, tom] = [await service.as({ name: `Ada ${WORD}` }), await service.as(), await service.as({ name: "Tom" })];
  await publish(ada, { title: WORD, body: WORD });
  const address = `https://example.com/${WORD}`;
  const url = await ada("POST", "/urls", { target_url: address, expired_url: address, id: "code-of-ada" });
  expect(url).toMatchObject({ status: 201 });
  // More than are erased at once, each with its clicks of two days.
  const others = Array.from({ length: 150 }, (_, index) => `code-of-ada-${index}`);
  await service.db.shortUrl.createMany({ data: others.map((id) => ({ id, ownerId: ada.userId, targetUrl: address })) });
  const days = ["2026-11-23", "2026-11-24"].map((day) => new Date(day));
  await service.db.clickDay.createMany({
    data: ["code-of-ada", ...others].flatMap((shortUrlId) => days.map((day) => ({ shortUrlId, day, clickCount: 1 }))),
  });
  const [shared, own] = [await openConversation(bob, [ada, tom], "Roof"), await openConversation(ada, [bob], "Shed")];
  for (const [sender, text] of [
    [ada, WORD],
    [bob, "An answer"],
    [ada, `${WORD} again`],
  ] as const)
    expect(await send(sender, shared, text)).toMatchObject({ status: 201 });
  await send(ada, own, WORD);
  await send(ada, await openConversation(bob, [ada, tom], "Floor"), WORD);
  // Tom's is the newest message for Bob, so only its words are in Bob's notification.
  await send(tom, shared, "The last one");

  expect(await beginErasure(service.db, ada.userId, async () => undefined)).toBe(true);
  expect(await erase(ada)).toBeGreaterThan(30);
  expect(await service.db.user.count({ where: { id: ada.userId } })).toBe(1);
  await deletedAMinuteAgo(ada);
  expect(await erase(ada)).toBeNull();

  for (const text of [WORD, ada.userId]) expect(await rowsWith(service.db, text)).toEqual([]);
  expect(await service.db.clickDay.count()).toBe(0);
  const messages = (await walk(bob, shared.messages, "before")).map((it: Body) => [it.sequence, it.sender_id, it.body]);
  expect(messages.toReversed()).toEqual([
    [1, DELETED_USER_ID, DELETED_TEXT],
    [2, bob.userId, "An answer"],
    [3, DELETED_USER_ID, DELETED_TEXT],
    [4, tom.userId, "The last one"],
  ]);
  const notices = (await bob("GET", "/notifications?kind=message.created")).body.data as Body[];
  expect(notices.map((it) => [it.title, it.body]).toSorted()).toEqual([
    ["A deleted user wrote in Floor", DELETED_TEXT],
    ["A deleted user wrote in Shed", DELETED_TEXT],
    ["Tom wrote in Roof", "The last one"],
  ]);
  expect((await bob("GET", own.members)).body.data).toMatchObject([{ user_id: bob.userId, role: "owner" }]);
  expect(await bob("GET", "/u/code-of-ada")).toMatchObject({ status: 410 });
  expect(await bob("POST", "/urls", { target_url: "https://example.com/", id: "code-of-ada" })).toMatchObject({ status: 409 });
});

it.each([
  ["no hand-over to the user, whose deletion begins while it waits", "successor", ["hand-over", "erasure"], 404, "owner"],
  ["a hand-over by the user", "owner", ["hand-over", "erasure"], 200, "successor"],
  ["no hand-over to the user, which comes too late", "successor", ["erasure", "hand-over"], 404, "owner"],
] as const)("erasure leaves one owner, another user, after %s", async (_what, erased, inLine, status, ownerAfter) => {
  const people = { owner: await service.as(), successor: await service.as(), witness: await service.as() };
  const { owner, successor, witness } = people;
  const { id, members } = await openConversation(owner, [successor, witness]);
  await using holder = await hold(service.databaseUrl, "SELECT 1 FROM conversations WHERE id = $1::uuid FOR UPDATE", [id]);
  const statuses: number[] = [];
  const steps = {
    "hand-over": async () => statuses.push((await owner("PATCH", `${members}/${successor.userId}`, { role: "owner" })).status),
    erasure: async () => {
      await beginErasure(service.db, people[erased].userId, async () => undefined);
      await erase(people[erased]);
    },
  };
  const waiting: Promise<unknown>[] = [];
  for (const step of inLine) {
    waiting.push(steps[step]());
    await holder.blocks(waiting.length);
  }
  await holder.release();
  await Promise.all(waiting);
  expect(statuses).toEqual([status]);
  const { data } = (await witness("GET", members)).body as { data: Body[] };
  expect(data.map((it) => [it.user_id, it.role]).toSorted()).toEqual(
    [
      [people[ownerAfter].userId, "owner"],
      [witness.userId, "member"],
    ].toSorted(),
  );
});

it("erasure gives a conversation back that was handed over to the user", async () => {
  const [owner, successor, witness] = [await service.as(), await service.as(), await service.as()];
  const { members } = await openConversation(owner, [successor, witness]);
  expect(await owner("PATCH", `${members}/${successor.userId}`, { role: "owner" })).toMatchObject({ status: 200 });
  await beginErasure(service.db, successor.userId, async () => undefined);
  await erase(successor);
  const { data } = (await witness("GET", members)).body as { data: Body[] };
  expect(data.map((it) => [it.user_id, it.role])).toEqual([
    [owner.userId, "owner"],
    [witness.userId, "member"],
  ]);
});

it("the row of a user stays while a request has added something since", async () => {
  const ada = await service.as();
  await publish(ada, { title: "Late", body: "x" });
  expect(await beginErasure(service.db, ada.userId, async () => undefined)).toBe(true);
  expect(await transaction(service.db, (tx) => removeUserRow(tx, ada.userId))).toBe(false);
  await deletedAMinuteAgo(ada);
  expect(await erase(ada)).toBeNull();
  expect(await rowsWith(service.db, ada.userId)).toEqual([]);
});

it("erasure removes the name from notifications that the previous release has written, but not from notifications about a namesake", async () => {
  const [ada, other] = [await service.as({ name: `Ada ${WORD}` }), await service.as({ name: `Ada ${WORD}` })];
  const [bob, tom, yuki] = [await service.as(), await service.as(), await service.as()];
  const roof = await openConversation(ada, [bob, tom, other, yuki], "Roof");
  await openConversation(other, [yuki], "Floor");
  const setActor = ({ userId }: Client, actorId: string | null) =>
    service.db.notification.updateMany({
      where: { userId, subjectId: roof.id },
      data: { actorId, actorName: null, subjectTitle: null },
    });
  await setActor(bob, ada.userId);
  // Release 1.0.0 writes no actor.
  await setActor(tom, null);
  await setActor(yuki, other.userId);
  await beginErasure(service.db, ada.userId, async () => undefined);
  await deletedAMinuteAgo(ada);
  expect(await erase(ada)).toBeNull();
  const titles = async (it: Client) => (await it("GET", "/notifications?sort=created_at")).body.data.map((n: Body) => n.title);
  expect(await titles(bob)).toEqual(["A deleted user added you to a conversation"]);
  expect(await titles(tom)).toEqual(["You were added to a conversation"]);
  expect(await titles(other)).toEqual(["A deleted user added you to Roof"]);
  expect(await titles(yuki)).toEqual([`Ada ${WORD} added you to Roof`, `Ada ${WORD} added you to Floor`]);
});

it("erasure leaves no part of a name that was longer when it was written", async () => {
  const [ada, bob] = [await service.as({ name: "Ada Zebra" }), await service.as()];
  await openConversation(ada, [bob], "Roof");
  await service.db.user.update({ where: { id: ada.userId }, data: { displayName: "Ada" } });
  await beginErasure(service.db, ada.userId, async () => undefined);
  await deletedAMinuteAgo(ada);
  expect(await erase(ada)).toBeNull();
  const [notice] = (await bob("GET", "/notifications")).body.data as Body[];
  expect(notice!.title).toBe("A deleted user added you to Roof");
});

it("erasure removes the endpoints of webhooks, and what waits for them", async () => {
  const word = "zebra-of-webhooks";
  const [ada, bob] = [await service.as({ name: `Ada ${word}` }), await service.as()];
  const endpoint = {
    url: `http://127.0.0.1:1024/${word}`,
    description: word,
    events: ["message.created", "notification.created"],
  };
  const { headers } = await ada("POST", "/webhook-endpoints", endpoint);
  expect(await ada("POST", `${headers.get("location")!}/deliveries`, {})).toMatchObject({ status: 202 });
  const roof = await openConversation(bob, [ada], "Roof");
  for (const it of [bob, ada]) expect(await send(it, roof, "An event")).toMatchObject({ status: 201 });
  const waiting = () => service.db.webhookDelivery.count({ where: { ownerId: ada.userId } });
  expect(await waiting()).toBeGreaterThan(3);
  await beginErasure(service.db, ada.userId, async () => undefined);
  await deletedAMinuteAgo(ada);
  expect(await erase(ada)).toBeNull();
  expect(await waiting()).toBe(0);
  for (const text of [word, ada.userId]) expect(await rowsWith(service.db, text)).toEqual([]);
});

it("erasure leaves nothing of a user in what receivers have answered, also if the previous version has stored it, and the proof counts it", async () => {
  const word = "zebra-that-receivers-echo";
  const [ada, bob] = [await service.as({ name: `Ada ${word}` }), await service.as()];
  await using _worker = await startWorkerOf(service);
  await using receiver = await startReceiver((received, res) => res.writeHead(200).end(received.text));
  const endpoint = await createEndpoint(bob, receiver, ["message.created"], ["conversations:read"]);
  const roof = await openConversation(bob, [ada], "Roof");
  for (const text of [`${word} 1`, `${word} 2`]) expect(await send(ada, roof, text)).toMatchObject({ status: 201 });
  const [event] = (await receiver.events("message.created", 2)) as [Received];
  for (const text of [word, ada.userId]) expect(event.text).toContain(text);
  const succeeded = (count: number) =>
    eventually(`${count} deliveries that have succeeded`, async () => {
      const { body } = await bob("GET", `${endpoint.path}/deliveries?status=succeeded`);
      return body.data.length === count ? (body.data as Body[]) : null;
    });
  const [, old] = await succeeded(2);
  // As the previous version has written it.
  await service.db.webhookDelivery.updateMany({ where: { id: old!.id }, data: { responseBody: event.text } });
  // Test events: a receiver that also shows what came before, and one that is beside the matter.
  for (const answer of [event.text, "Not here."]) {
    receiver.respond = (_received, res) => res.writeHead(200).end(answer);
    await bob("POST", `${endpoint.path}/deliveries`, {});
    await receiver.events("webhook_endpoint.tested", answer === event.text ? 1 : 2);
    await succeeded(answer === event.text ? 3 : 4);
  }
  const proof = async () => {
    const mentions = await withSnapshot(service.databaseUrl, (snapshot) => countMentions(snapshot, ada.userId));
    return mentions.filter((it) => it.rows > 0);
  };
  expect(await proof()).toContainEqual({ table: "webhook_deliveries", column: "response_body", rows: 2 });

  await beginErasure(service.db, ada.userId, async () => undefined);
  await deletedAMinuteAgo(ada);
  expect(await erase(ada)).toBeNull();
  expect(await proof()).toEqual([]);
  for (const text of [word, ada.userId]) expect(await rowsWith(service.db, text)).toEqual([]);
  expect((await succeeded(4)).map((it) => [it.event, it.response_excerpt])).toEqual([
    ["webhook_endpoint.tested", "Not here."],
    ["webhook_endpoint.tested", null],
    ["message.created", null],
    ["message.created", null],
  ]);
});

it("the proof of an erasure counts objects that belong to no upload", async () => {
  const ada = await service.as();
  const store = createFileStore(service.dataDir);
  const before = await countObjects(service.db, store, ada.userId);
  const key = `${folderOf(randomUUID())}/original`;
  await store.put(key, Readable.from([Buffer.from("left behind")]), { maxBytes: 100 });
  expect(await countObjects(service.db, store, ada.userId)).toEqual({
    ...before,
    all: before.all + 1,
    ofNoUpload: before.ofNoUpload + 1,
  });
  await store.delete(key);
});
