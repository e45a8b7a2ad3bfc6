import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { expect, it } from "@jest/globals";
import { pino } from "pino";
import { withSnapshot } from "../../src/database/snapshot.ts";
import { removeUser } from "../../src/personal-data/jobs.ts";
import { countMentions } from "../../src/personal-data/references-store.ts";
import { beginErasure } from "../../src/personal-data/service.ts";
import { DELETED_TEXT, DELETED_USER_ID } from "../../src/auth/deleted-user.ts";
import { openJobs } from "../../src/worker.ts";
import { UUID_PATTERN } from "../../src/util/uuid.ts";
import type { Answer, Client } from "../support/client.ts";
import { send, walk, withKey } from "../support/conversations.ts";
import { prepareForEach } from "../support/prepare.ts";
import { createDeployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { erased } from "../support/jobs.ts";
import { seededRandom } from "../support/seed.ts";
import { sized } from "../support/size.ts";
import { plumblineJson } from "../support/processes.ts";
import { smallClip, storedFiles } from "../support/videos.ts";
import { rowsWith } from "./someone.ts";

const USERS = sized(40, 200);
const ACTIONS_BEFORE = sized(1_500, 3_000);
const AT_ONCE = 8;

/** A user, a word in everything that the user writes, and a mark in the name. Each third user has the name of the one before. */
type Person = { readonly client: Client; readonly word: string };
type Opened = { readonly id: string; readonly messages: string; readonly members: string; readonly of: Set<Person> };
const WORD = /zebra[0-9a-f]{16}/g;
const MARK = /nym[0-9a-f]{16}/g;
const UUID = new RegExp(UUID_PATTERN, "g");

const deployment = prepareForEach(createDeployment);

/** Lets users do at random what leaves something behind, and remembers what was acknowledged. */
function createLives(people: readonly Person[], random: (below: number) => number, clip: Buffer) {
  const conversations: Opened[] = [];
  /** The body of each acknowledged message, and the title of each post, by id. */
  const written = new Map<string, { readonly by: Person; readonly text: string; readonly in?: string }>();
  const statuses = new Map<number, number>();
  const pick = <T>(from: readonly T[]): T | undefined => from[random(from.length)];
  const others = () => [...new Set(Array.from({ length: 1 + random(4) }, () => pick(people)!))];
  const textOf = ({ word }: Person) => `${word} ${"lives at 12 Private Road. ".repeat(1 + random(40))}`.trim();
  const mine = (me: Person) => pick(conversations.filter((it) => it.of.has(me)));

  /** A port at which no server listens, so that events wait. */
  const receiverOf = ({ word }: Person) => `http://127.0.0.1:1024/${word}`;
  const endpointOf = async ({ client }: Person) => {
    const { body } = await client("GET", "/webhook-endpoints");
    return pick((body?.data ?? []) as readonly { readonly id: string }[]);
  };

  const actions: readonly ((me: Person) => Promise<Answer | undefined>)[] = [
    async (me) => {
      const of = others();
      const title = random(2) ? { title: `Roof ${"x".repeat(random(180))}` } : {};
      const answer = await me.client(
        "POST",
        "/conversations",
        { ...title, member_ids: of.map((it) => it.client.userId) },
        withKey(),
      );
      const path = answer.headers.get("location")!;
      if (answer.status === 201)
        conversations.push({
          id: answer.body.id,
          messages: `${path}/messages`,
          members: `${path}/members`,
          of: new Set([me, ...of]),
        });
      return answer;
    },
    ...Array.from({ length: 8 }, () => async (me: Person) => {
      const conversation = mine(me);
      if (conversation === undefined) return;
      const text = textOf(me);
      const answer = await send(me.client, { ...conversation, path: "" }, text);
      if (answer.status === 201) written.set(answer.body.id, { by: me, text, in: conversation.id });
      return answer;
    }),
    async (me) => {
      const [conversation, [other]] = [mine(me), others()];
      const answer = conversation && (await me.client("PUT", `${conversation.members}/${other!.client.userId}`));
      if (answer?.status === 201) conversation!.of.add(other!);
      return answer;
    },
    // Leaves it, or removes another member.
    async (me: Person) => {
      const conversation = mine(me);
      const leaving = conversation && (random(2) ? me : pick([...conversation.of]));
      const answer = leaving && (await me.client("DELETE", `${conversation.members}/${leaving.client.userId}`));
      if (answer?.status === 204) conversation!.of.delete(leaving!);
      return answer;
    },
    async (me) => {
      const text = textOf(me).slice(0, 200).trim();
      const answer = await me.client("POST", "/posts", { title: text, body: me.word }, random(2) ? withKey() : {});
      if (answer.status === 201) written.set(answer.body.id, { by: me, text });
      return answer;
    },
    (me) => me.client("POST", "/urls", { target_url: `https://example.com/${me.word}` }, random(2) ? withKey() : {}),
    // Most are no videos, which costs less. Some are deleted at once.
    async (me) => {
      const answer = await me.client("POST", `/video-uploads?name=${me.word}.mp4`, random(10) ? Buffer.from(me.word) : clip);
      return answer.status === 202 && random(3) === 0 ? me.client("DELETE", `/video-uploads/${answer.body.id}`) : answer;
    },
    (me) => {
      const [events, description] = [["message.created", "notification.created"], `${me.client.userName} ${me.word}`];
      const endpoint = { url: receiverOf(me), events, description, scopes: ["conversations:read"] };
      return me.client("POST", "/webhook-endpoints", endpoint, random(2) ? withKey() : {});
    },
    // Rotates a secret, sends a test event, or deletes an endpoint.
    async (me) => {
      const endpoint = await endpointOf(me);
      if (endpoint === undefined) return;
      const path = `/webhook-endpoints/${endpoint.id}`;
      const what = random(5);
      if (what === 0) return me.client("DELETE", path);
      return me.client("POST", `${path}/${what === 1 ? "secrets" : "deliveries"}`, {});
    },
    async (me) => {
      const { body } = await me.client("GET", "/notifications?limit=5");
      return body?.seen && me.client("PATCH", "/notifications", { status: "read", seen: body.seen });
    },
  ];

  /** Lets a user have the last word in a conversation, and all others leave it. */
  async function abandon(conversation: Opened, by: Person): Promise<void> {
    await send(by.client, { ...conversation, path: "" }, textOf(by));
    for (const it of conversation.of) if (it !== by) await it.client("DELETE", `${conversation.members}/${it.client.userId}`);
    conversation.of.clear();
    conversation.of.add(by);
  }

  /** Does one thing as one user. Returns the status, if a request was sent. */
  async function act(me: Person): Promise<number | undefined> {
    const answer = await pick(actions)!(me);
    if (answer !== undefined) statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    return answer?.status;
  }
  return { act, abandon, conversations, written, statuses, pick };
}

/** Begins an upload, and holds back its last byte. `end` sends it, and returns the status. */
async function slowUpload(url: string, client: Client, bytes: Buffer): Promise<{ end(): Promise<unknown> }> {
  const answer = Promise.withResolvers<unknown>();
  const before = await deployment.db.uploadReservation.count({ where: { ownerId: client.userId } });
  const sending = request(`${url}/video-uploads`, {
    method: "POST",
    headers: { Authorization: client.authorization!, "Content-Type": "video/mp4", "Content-Length": bytes.length },
  });
  sending.on("response", (response) => {
    const isCounted = "ratelimit" in response.headers;
    json(response).then((body) => answer.resolve({ status: response.statusCode, isCounted, body }), answer.reject);
  });
  sending.on("error", answer.reject);
  sending.write(bytes.subarray(0, -1));
  const where = { ownerId: client.userId };
  await eventually("the reservation", async () => (await deployment.db.uploadReservation.count({ where })) > before);
  return {
    end: () => {
      sending.end(bytes.subarray(-1));
      return answer.promise;
    },
  };
}

it(`of ${USERS} users with random lives, half are deleted under load: their requests get 401, also one that began before, nothing of them is left, and nothing of the others has changed`, async () => {
  const random = seededRandom("random lives");
  const KEEP_DELETED_HOURS = "1";
  const worker = await deployment.start("worker", { VIDEO_CONCURRENCY: "2", KEEP_DELETED_HOURS, LOG_LEVEL: "info" });
  const RATE_LIMITS = "default=1000000/60,writes=1000000/60,uploads=1000000/3600,failed_authentication=1000000/60";
  const settings = { RATE_LIMITS, MAX_QUEUE_MS: "0", IDLE_TIMEOUT_SECONDS: "600", KEEP_DELETED_HOURS, LOG_LEVEL: "info" };
  const api = await deployment.start("api", settings);
  const { url } = await api.ready();
  const people: Person[] = [];
  const hex = () => randomBytes(8).toString("hex");
  for (let n = 0; n < USERS; n++) {
    const name =
      n % 3 === 1 ? people.at(-1)!.client.userName : `Ada ${n % 3 === 0 ? "Namesake" : `nym${hex()}`} ${n} ${"a".repeat(n % 60)}`;
    people.push({ client: await deployment.as(name), word: `zebra${hex()}` });
  }
  const lives = createLives(people, random, await smallClip());
  let left = ACTIONS_BEFORE;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) await lives.act(lives.pick(people)!);
    }),
  );

  const doomed = new Set<Person>();
  while (doomed.size < USERS / 2) doomed.add(lives.pick(people)!);
  // Some conversations end with the deletion, because all others have left.
  for (const conversation of lives.conversations) {
    const last = [...conversation.of].find((it) => doomed.has(it));
    if (last !== undefined && random(6) === 0) await lives.abandon(conversation, last);
  }
  const slow = await slowUpload(url, [...doomed][0]!.client, await smallClip());
  await using stack = new AsyncDisposableStack();
  const jobs = stack.adopt(await openJobs(deployment.databaseUrl, { isWorker: false, log: pino({ level: "silent" }) }), (it) =>
    it.close(),
  );
  // All of them continue, the deleted ones until they are refused.
  const active = new Set(people);
  let isOver = false;
  const load = Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (!isOver) {
        const me = lives.pick([...active])!;
        if ((await lives.act(me)) === 401) active.delete(me);
      }
    }),
  );
  for (const { client } of doomed)
    await beginErasure(deployment.db, client.userId, (tx) => jobs.queue.enqueue(tx, removeUser, { userId: client.userId }));
  // Longer than a credential is cached.
  await erased(deployment, 28);
  isOver = true;
  await load;
  // It has been in flight all the time, and ends after its user: its foreign key refuses the row.
  expect(await slow.end()).toMatchObject({
    status: 401,
    isCounted: false,
    body: { detail: "The user of this token was deleted." },
  });
  const waiting = () =>
    deployment.db.$queryRaw<
      unknown[]
    >`SELECT 1 FROM pgboss.job WHERE state < 'completed' AND name IN ('leftovers', 'video-uploads')`;
  await eventually("the end of all jobs", async () => (await waiting()).length === 0, 600_000, 500);
  expect([...lives.statuses.keys()].filter((it) => it >= 500)).toEqual([]);
  expect(lives.statuses.get(401)).toBeGreaterThan(doomed.size / 2);

  // Nothing of the deleted ones is in a table, in the queue, in an object or in a response to another user.
  const gone = [...doomed];
  const living = people.filter((it) => !doomed.has(it));
  const marksOf = (of: readonly Person[]) =>
    new Set(of.flatMap(({ client, word }) => [client.userId, word, ...(client.userName.match(MARK) ?? [])]));
  const traces = marksOf(gone);
  const tracesIn = (text: string) => [WORD, MARK, UUID].flatMap((it) => text.match(it) ?? []).filter((it) => traces.has(it));
  const dump = await rowsWith(deployment.db, "");
  const retained = await deployment.db.retainedObject.findMany({ where: { keepUntil: { gt: new Date() } } });
  const isRetained = (of: string) => retained.some(({ key }) => of.includes(key));
  const allowed = (row: string) => row.startsWith("public.kept_objects ") && isRetained(row);
  expect(dump.filter((it) => tracesIn(it).length > 0 && !allowed(it))).toEqual([]);
  const files = await storedFiles(deployment);
  for (const file of files.filter((it) => !isRetained(it)))
    expect(tracesIn(`${file} ${await readFile(join(deployment.dataDir, file), "latin1")}`)).toEqual([]);
  // Logs name users by id only.
  const marks = new Set([...traces].filter((it) => !it.includes("-")));
  const logs = [worker, api].map((it) => it.stdout() + it.stderr());
  expect(
    logs.flatMap((it) => [...new Set([WORD, MARK].flatMap((mark) => it.match(mark) ?? []))].filter((of) => marks.has(of))),
  ).toEqual([]);
  expect(logs.every((it) => it.includes(gone[0]!.client.userId))).toBe(true);
  const responses: string[] = [];
  for (const { client } of living) {
    const read = async (path: string, cursor?: "before") =>
      responses.push(...(await walk(client, path, cursor)).map((it) => JSON.stringify(it)));
    await read("/notifications");
    await read("/posts?limit=100");
    for (const { id } of await walk(client, "/conversations")) {
      await read(`/conversations/${id}/members`);
      await read(`/conversations/${id}/messages`, "before");
    }
  }
  expect(responses.filter((it) => tracesIn(it).length > 0)).toEqual([]);
  const mentions = await withSnapshot(deployment.databaseUrl, (snapshot) => countMentions(snapshot, gone[0]!.client.userId));
  expect(mentions.filter((it) => it.rows > 0 && it.table !== "kept_objects")).toEqual([]);
  // The proof names exactly what is retained, with its end.
  const asked = gone.find((it) => retained.some(({ ownerId }) => ownerId === it.client.userId)) ?? gone[0]!;
  const environment = { NODE_ENV: "test", DATABASE_URL: deployment.databaseUrl, DATA_DIR: deployment.dataDir };
  const proof = await plumblineJson(environment, "user", "proof", asked.client.userId);
  const ofAsked = retained.filter(({ ownerId }) => ownerId === asked.client.userId);
  expect(proof.exit).toBe(0);
  expect(
    proof.lines.flatMap((it) => (typeof it["kept"] === "string" ? [`${it["kept"]} ${String(it["ends_at"])}`] : [])).sort(),
  ).toEqual(ofAsked.map(({ key, keepUntil }) => `${key} ${keepUntil.toISOString()}`).sort());

  // What the others wrote is as they wrote it, also in notifications, and also what their namesakes caused.
  const stored = new Map<string, string>();
  for (const { id, senderId, body } of await deployment.db.message.findMany()) stored.set(id, `${senderId} ${body}`);
  for (const { id, authorId, title } of await deployment.db.post.findMany()) stored.set(id, `${authorId} ${title}`);
  const remaining = new Set((await deployment.db.conversation.findMany({ select: { id: true } })).map((it) => it.id));
  const changed = [...lives.written].filter(
    ([id, { by, text, in: conversation }]) =>
      living.includes(by) &&
      (conversation === undefined || remaining.has(conversation)) &&
      stored.get(id) !== `${by.client.userId} ${text}`,
  );
  expect(changed).toEqual([]);
  const nameOf = new Map(people.map(({ client }) => [client.userId, client.userName]));
  const notifications = await deployment.db.notification.findMany({
    where: { kind: { in: ["message.created", "conversation.member_added"] } },
  });
  const wrong = notifications.filter(({ kind, title, body, actorId, subjectId, resourceId }) => {
    if (!remaining.has(subjectId!)) return true;
    if (actorId === DELETED_USER_ID)
      return !title.startsWith("A deleted user ") || (kind === "message.created" ? body !== DELETED_TEXT : body !== null);
    if (!title.startsWith(`${nameOf.get(actorId!)} `)) return true;
    const text = lives.written.get(resourceId)?.text ?? "";
    return kind === "message.created" && body !== (text.length > 500 ? `${text.slice(0, 499)}…` : text);
  });
  expect(wrong).toEqual([]);
  const ofDeletedUsers = notifications.filter((it) => it.actorId === DELETED_USER_ID).length;
  process.stderr.write(
    `random lives: ${[...lives.statuses].map(([status, count]) => `${count} x ${status}`).join(", ")}; ${dump.length} rows, ${files.length} files, ${retained.length} retained, ` +
      `${responses.length} items, ${stored.size} messages and posts, ${remaining.size} of ${lives.conversations.length} conversations, ` +
      `${notifications.length} notifications, ${ofDeletedUsers} of deleted users\n`,
  );
  expect([ofDeletedUsers > 20, remaining.size < lives.conversations.length, files.length > 10]).toEqual([true, true, true]);
}, 1_500_000);
