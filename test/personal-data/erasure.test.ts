import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, it } from "@jest/globals";
import { pino } from "pino";
import { tables } from "#generated/tables.ts";
import { transaction, type Tx } from "../../src/database/client.ts";
import { withSnapshot } from "../../src/database/snapshot.ts";
import { createDependents } from "../../src/jobs/dependents.ts";
import { countObjects, countUnfinished } from "../../src/personal-data/objects.ts";
import { countMentions } from "../../src/personal-data/references-store.ts";
import { insertAuditEntry } from "../../src/audit-trail/store.ts";
import { removeUser } from "../../src/personal-data/jobs.ts";
import { beginErasure, eraseUser } from "../../src/personal-data/service.ts";
import { findOverdueUsers, insertDeletedUser, removeUserRow } from "../../src/personal-data/store.ts";
import { openJobs } from "../../src/worker.ts";
import { createFileStore } from "../../src/storage/file-store.ts";
import type { OldVersions } from "../../src/storage/object-store.ts";
import { folderOf } from "../../src/video-uploads/objects/object-keys.ts";
import { DELETED_TEXT, DELETED_USER_ID } from "../../src/auth/deleted-user.ts";
import type { CommandParts } from "../../scripts/operations/parts.ts";
import { proof } from "../../scripts/user/deletion.ts";
import type { Body, Client } from "../support/client.ts";
import { openConversation, send, walk } from "../support/conversations.ts";
import { eventually } from "../support/eventually.ts";
import { hold } from "../support/locks.ts";
import { temporaryFolder } from "../support/media.ts";
import { publish } from "../support/posts.ts";
import { plumblineJson } from "../support/processes.ts";
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

/** Deletes a user, and removes all of them, as if the deletion was a minute ago. */
async function eraseWhole(user: Client): Promise<void> {
  await beginErasure(service.db, user.userId, async () => undefined);
  await deletedAMinuteAgo(user);
  expect(await erase(user)).toBeNull();
}

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
  await send(ada, own, WORD, `key-of-${WORD}`);
  await send(ada, await openConversation(bob, [ada, tom], "Floor"), WORD);
  // Tom's is the newest message for Bob, so only its words are in Bob's notification.
  await send(tom, shared, "The last one");

  const enqueue = (tx: Tx) => jobs.queue.enqueue(tx, removeUser, { userId: ada.userId });
  expect(await beginErasure(service.db, ada.userId, enqueue)).toBe(true);
  expect(await erase(ada)).toBeGreaterThan(30);
  expect(await service.db.formerMember.count({ where: { userId: ada.userId } })).toBe(0);
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

it("an erasure that has not ended a day after the deletion begins again, but not that of the owner of what stays", async () => {
  const [late, recent] = [await service.as(), await service.as()];
  await insertDeletedUser(service.db);
  const deletedBefore = (id: string, seconds: number) =>
    service.db.$executeRaw`UPDATE users SET deleted_at = now() - make_interval(secs => ${seconds}::int) WHERE id = ${id}::uuid`;
  await deletedBefore(late.userId, 86_460);
  await deletedBefore(recent.userId, 86_340);
  await deletedBefore(DELETED_USER_ID, 1_000_000);
  // To delete a user again changes nothing.
  await beginErasure(service.db, late.userId, async () => undefined);
  const ids = [late.userId, recent.userId, DELETED_USER_ID];
  expect((await findOverdueUsers(service.db)).filter((it) => ids.includes(it))).toEqual([late.userId]);
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
  await eraseWhole(ada);
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
  await eraseWhole(ada);
  const [notice] = (await bob("GET", "/notifications")).body.data as Body[];
  expect(notice!.title).toBe("A deleted user added you to Roof");
});

it("erasure reaches the notifications about a conversation that the user has left before", async () => {
  const word = "zebra-that-left";
  const [ada, bob] = [await service.as({ name: `Ada ${word}` }), await service.as()];
  const roof = await openConversation(bob, [ada], "Roof");
  expect(await send(ada, roof, word)).toMatchObject({ status: 201 });
  expect(await ada("DELETE", `${roof.members}/${ada.userId}`)).toMatchObject({ status: 204 });
  await eraseWhole(ada);
  for (const text of [word, ada.userId]) expect(await rowsWith(service.db, text)).toEqual([]);
  const [notice] = (await bob("GET", "/notifications")).body.data as Body[];
  expect(notice).toMatchObject({ title: "A deleted user wrote in Roof", body: DELETED_TEXT });
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
  await eraseWhole(ada);
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

  await eraseWhole(ada);
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

it("`user proof` exits with 2 while there are objects of no upload, which could be those of the user, and then with 0", async () => {
  await using alone = await startTestService({ ROLE: "api" });
  const settings = { NODE_ENV: "test", DATABASE_URL: alone.databaseUrl, DATA_DIR: alone.dataDir };
  const proof = async () => (await plumblineJson(settings, "user", "proof", randomUUID())).exit;
  expect(await proof()).toBe(0);
  const store = createFileStore(join(alone.dataDir, "objects"));
  await store.put(`${folderOf(randomUUID())}/original`, Readable.from([Buffer.from("x")]), { maxBytes: 1 });
  expect(await proof()).toBe(2);
});

/** The exit code of `user proof` for a user who is gone, with an empty store that has these old versions. */
async function exitOfProof(userId: string, oldVersions: OldVersions): Promise<unknown> {
  await using folder = await temporaryFolder();
  const store = { ...createFileStore(folder.path), findOldVersions: async () => oldVersions };
  const parts: Partial<CommandParts> = { db: service.db, databaseUrl: service.databaseUrl, openObjects: async () => store };
  const { exitCode: before } = process;
  try {
    Object.assign(process, { exitCode: 0 });
    const text = await proof({ userId, json: false })(parts as CommandParts);
    const { exitCode } = process;
    expect(text).toMatch(exitCode === 0 ? /^Nothing refers to/m : /^Something still refers to/m);
    return exitCode;
  } finally {
    Object.assign(process, { exitCode: before });
  }
}

it.each<[string, number, OldVersions]>([
  ["never keeps old versions of objects", 0, { stay: "never" }],
  ["keeps them for some days", 0, { stay: "days", days: 7 }],
  ["keeps them for ever", 2, { stay: "for ever" }],
  ["may keep them, which can't be read", 2, { stay: "unknown", reason: "AccessDenied" }],
])("`user proof` for a bucket that %s exits with %i", async (_what, exit, oldVersions) => {
  expect(await exitOfProof(randomUUID(), oldVersions)).toBe(exit);
});

it.each([
  ["before", 0, 60_000],
  ["after", 2, -60_000],
])(
  "`user proof` %s the end of an entry of the audit trail, or of a kept file, of the user exits with %i",
  async (_what, exit, leftMs) => {
    const [userId, { userId: ownerId }] = [randomUUID(), await service.as()];
    const end = new Date(Date.now() + leftMs);
    await insertAuditEntry(service.db, { action: "user.delete", userId, details: {}, operator: "ada", host: "here" });
    await service.db.auditEntry.updateMany({ where: { userId }, data: { expiresAt: end } });
    // Its objects are gone already.
    await service.db.retainedObject.create({ data: { key: folderOf(randomUUID()), ownerId, sizeBytes: 1, keepUntil: end } });
    await eraseWhole({ userId: ownerId } as Client);
    for (const id of [userId, ownerId]) expect(await exitOfProof(id, { stay: "never" })).toBe(exit);
  },
);

it("the proof of an erasure names the time at which the last unfinished put ends", async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, "incoming"));
  const newest = new Date("2026-11-28T12:00:00Z");
  for (const hours of [1, 0, 2]) {
    const file = join(folder.path, "incoming", randomUUID());
    await writeFile(file, "x");
    const at = new Date(newest.getTime() - hours * 3_600_000);
    await utimes(file, at, at);
  }
  const endsAt = new Date("2026-11-29T12:00:00Z");
  expect(await countUnfinished(createFileStore(folder.path), 24 * 3_600_000)).toEqual({ count: 3, endsAt });
});

it("the bytes of an unfinished resumable upload are those of its user, in the proof and in the export", async () => {
  const ada = await service.as();
  const store = createFileStore(join(service.dataDir, "objects"));
  const before = await countObjects(service.db, store, ada.userId);
  const headers = { "Upload-Complete": "?0", "Upload-Length": "700000" };
  expect(await ada("POST", "/video-uploads", Buffer.alloc(300_000), { headers })).toMatchObject({ status: 204 });
  const { ofUser, ofNoUpload } = await countObjects(service.db, store, ada.userId);
  expect([ofUser > 0, ofNoUpload]).toEqual([true, before.ofNoUpload]);
  await using to = await temporaryFolder();
  const settings = { NODE_ENV: "test", DATABASE_URL: service.databaseUrl, DATA_DIR: service.dataDir };
  const { lines } = await plumblineJson(settings, "user", "export", ada.userId, "--to", join(to.path, "ada"));
  expect(lines).toMatchObject([{ files: ofUser, bytes: 300_000 }]);
});

it("an export has no secret, and only the owner of the process can read it", async () => {
  const ada = await service.as();
  const { id, path, secret } = await createEndpoint(ada, { url: "http://127.0.0.1:1024/" }, ["message.created"]);
  const { secret: next } = (await ada("POST", `${path}/secrets`, {})).body as { secret: string };
  await using to = await temporaryFolder();
  const settings = { NODE_ENV: "test", DATABASE_URL: service.databaseUrl, DATA_DIR: service.dataDir };
  const folder = join(to.path, "ada");
  expect(await plumblineJson(settings, "user", "export", ada.userId, "--to", folder)).toMatchObject({ exit: 0 });
  const modeOf = async (it: string) => (await stat(it)).mode & 0o777;
  const files = (await readdir(folder)).map((it) => join(folder, it));
  expect([await modeOf(folder), ...(await Promise.all(files.map(modeOf)))]).toEqual([0o700, ...files.map(() => 0o600)]);
  const text = (await Promise.all(files.map((it) => readFile(it, "utf8")))).join("");
  expect(text).toContain(id);
  for (const it of [secret, next]) expect(text).not.toContain(it);
  // The manifest says that it is left out.
  expect(text).not.toMatch(/"secret_hash":/);
});
