import { randomUUID } from "node:crypto";
import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "@jest/globals";
import { pino } from "pino";
import { openLongPolling } from "../../src/long-poll/index.ts";
import type { Answer, Body, Client } from "../support/client.ts";
import { openConversation, send, type Conversation } from "../support/conversations.ts";
import { createTestDatabase, openSession } from "../support/database.ts";
import { eventually, usedBeforeExpiry } from "../support/eventually.ts";
import { waitingOf, waitingReach } from "../support/metrics.ts";
import { prepare } from "../support/prepare.ts";
import { sentence } from "../support/sentence.ts";
import { startTestService, startWorkerOf } from "../support/service.ts";
import { smallClip, upload, uploadPath } from "../support/videos.ts";

/** Far more than a test takes: a response that comes has not waited until the end. */
const LONG = 30;
const service = prepare(() => startTestService({ ROLE: "api", METRICS_PORT: "0", DATABASE_POOL_SIZE: "2" }));

async function startTalk() {
  const [ada, bo] = [await service.as(), await service.as()];
  return { ada, bo, conversation: await openConversation(ada, [bo]) };
}

async function withMessage() {
  const { ada, bo, conversation } = await startTalk();
  await send(ada, conversation, "One");
  return { ada, bo, conversation, after: await newestCursor(bo, conversation) };
}

/** The response to a request that waits until this happens. */
async function answerAfter(waiting: Promise<Answer>, happens: () => Promise<unknown>): Promise<Answer> {
  await waitingReach(service, 1);
  await happens();
  return waiting;
}

const newestCursor = async (reader: Client, { messages }: Conversation) =>
  (await reader("GET", `${messages}?limit=1`)).body.page.prev_cursor as string;
const next = (reader: Client, { messages }: Conversation, after: string, seconds = LONG) =>
  reader("GET", `${messages}?after=${after}&wait=${seconds}`);
const bodies = ({ body }: Answer) => body.data.map((it: Body) => it.body);

describe("GET /conversations/{conversationId}/messages with wait", () => {
  it(sentence("Each request first looks whether there is something new already."), async () => {
    const { ada, bo, conversation, after } = await withMessage();
    await send(ada, conversation, "Two");
    expect(bodies(await next(bo, conversation, after))).toEqual(["Two"]);
    expect(bodies(await bo("GET", `${conversation.messages}?wait=${LONG}`))).toEqual(["Two", "One"]);
  });

  const AT_ONCE = sentence("The response comes as soon as there is something new, and otherwise when the time is over.");
  it(`${AT_ONCE} Its cursors need no wait`, async () => {
    const { ada, bo, conversation, after } = await withMessage();
    const first = await answerAfter(next(bo, conversation, after), () => send(ada, conversation, "Two"));
    expect(bodies(first)).toEqual(["Two"]);
    const cursor = first.body.page.prev_cursor as string;
    const answer = await answerAfter(next(bo, conversation, cursor), () => send(ada, conversation, "Three"));
    expect(bodies(answer)).toEqual(["Three"]);
    expect(bodies(await bo("GET", `${conversation.messages}?after=${cursor}`))).toEqual(["Three"]);
    expect(answer.headers.get("link")).not.toContain("wait");
    expect(await waitingOf(service)).toBe(0);
  });

  it(`${sentence("**Nothing is missed.**")} A message that is sent between the first read and the wait is returned`, async () => {
    const { ada, bo, conversation, after } = await withMessage();
    let cursor = after;
    for (let round = 0; round < 20; round++) {
      const waiting = next(bo, conversation, cursor);
      await send(ada, conversation, `Message ${round}`);
      const answer = await waiting;
      expect(bodies(answer)).toEqual([`Message ${round}`]);
      cursor = answer.body.page.prev_cursor;
    }
  });

  it(`waits for ${sentence("a message after the cursor, or the first one of the conversation")}`, async () => {
    const { ada, bo, conversation } = await startTalk();
    const waiting = bo("GET", `${conversation.messages}?wait=${LONG}`);
    expect(bodies(await answerAfter(waiting, () => send(ada, conversation, "One")))).toEqual(["One"]);
  });

  it(`${sentence("an empty page, with the same `prev_cursor`")}, after the timeout, and no earlier`, async () => {
    const { bo, conversation, after } = await withMessage();
    const startedMs = performance.now();
    const { status, body } = await next(bo, conversation, after, 1);
    // A timer counts whole milliseconds from the beginning of one, so it can be less than a millisecond early.
    expect(Math.ceil(performance.now() - startedMs)).toBeGreaterThanOrEqual(1_000);
    expect(status).toBe(200);
    expect(body).toMatchObject({ data: [], page: { prev_cursor: after, has_newer: false } });
  });

  it("waits for a message of its own conversation only", async () => {
    const { ada, bo, conversation, after } = await withMessage();
    const other = await openConversation(ada, [bo]);
    const answer = await answerAfter(next(bo, conversation, after), async () => {
      await send(ada, other, "Elsewhere");
      await send(ada, conversation, "Two");
    });
    expect(bodies(answer)).toEqual(["Two"]);
  });

  it(sentence("It has no effect on pages that lead to older items."), async () => {
    const { bo, conversation, after } = await withMessage();
    const startedMs = performance.now();
    expect(bodies(await bo("GET", `${conversation.messages}?before=${after}&wait=${LONG}`))).toEqual([]);
    expect(Math.ceil(performance.now() - startedMs)).toBeLessThan(LONG * 1_000);
  });

  const AGAIN = sentence(
    "**Access is decided again** before the response: when your membership in a conversation ends while you wait, you get 403.",
  );
  it(`${AGAIN} A stranger gets it at once`, async () => {
    const { ada, bo, conversation, after } = await withMessage();
    const stranger = await service.as();
    expect(await next(stranger, conversation, after)).toMatchObject({ status: 403, body: { code: "not_a_member" } });
    const remove = () => ada("DELETE", `${conversation.members}/${bo.userId}`);
    const answer = await answerAfter(next(bo, conversation, after), remove);
    expect(answer).toMatchObject({ status: 403, body: { code: "not_a_member" } });
  });

  it("returns 401 if the credential has expired while it waited", async () => {
    const ada = await service.as();
    const { expiresAt, conversation, waiting } = await usedBeforeExpiry(async (expiresAt) => {
      const bo = await service.as();
      await service.db.apiKey.updateMany({ where: { userId: bo.userId }, data: { expiresAt } });
      const conversation = await openConversation(ada, [bo]);
      const waiting = next(bo, conversation, await newestCursor(ada, conversation));
      await waitingReach(service, 1);
      return { expiresAt, conversation, waiting };
    });
    await eventually("the end of the credential", () => Date.now() > expiresAt.getTime());
    await send(ada, conversation, "Two");
    expect(await waiting).toMatchObject({ status: 401, body: { code: "invalid_token" } });
  });

  it("holds no connection to the database: 16 wait, and two connections serve the others", async () => {
    const { ada, bo, conversation, after } = await withMessage();
    const waiting = Array.from({ length: 16 }, () => next(bo, conversation, after));
    await waitingReach(service, 16);
    const others = await Promise.all(Array.from({ length: 8 }, () => ada("GET", conversation.path)));
    expect(others.map((it) => it.status)).toEqual(others.map(() => 200));
    await send(ada, conversation, "Two");
    for (const answer of await Promise.all(waiting)) expect(bodies(answer)).toEqual(["Two"]);
    expect(await waitingOf(service)).toBe(0);
  });

  const SIXTEEN = sentence("or when 16 of yours wait already (by default).");
  it(`returns at once ${SIXTEEN} The others still wait`, async () => {
    const { ada, bo, conversation, after } = await withMessage();
    const waiting = Array.from({ length: 16 }, () => next(bo, conversation, after));
    await waitingReach(service, 16);
    expect(await next(bo, conversation, after)).toMatchObject({ status: 200, body: { data: [] } });
    // Another user can wait.
    const other = next(ada, conversation, after);
    await waitingReach(service, 17);
    await send(ada, conversation, "Two");
    for (const answer of await Promise.all([...waiting, other])) expect(bodies(answer)).toEqual(["Two"]);
  });

  it("removes the subscription of a request whose client has disconnected", async () => {
    const { bo, conversation, after } = await withMessage();
    const leaving = new AbortController();
    const path = `${conversation.messages}?after=${after}&wait=${LONG}`;
    const waiting = bo("GET", path, undefined, { signal: leaving.signal }).catch(() => "left");
    await waitingReach(service, 1);
    leaving.abort();
    expect(await waiting).toBe("left");
    await waitingReach(service, 0);
  });
});

describe("A request that waits", () => {
  const COUNTS = "It counts as one request towards the rate limit, and doesn't count as a concurrent request while it waits.";
  it(`${sentence(COUNTS)} Also if it is woken`, async () => {
    const limits = { MAX_IN_FLIGHT: "2", MAX_IN_FLIGHT_PER_USER: "1", RATE_LIMITS: "default=100/3600" };
    await using small = await startTestService({ ROLE: "api", METRICS_PORT: "0", ...limits });
    const [ada, bo, cy] = [await small.as(), await small.as(), await small.as()];
    const conversation = await openConversation(ada, [bo, cy]);
    const left = ({ headers }: Answer) => Number(/;r=(\d+)/.exec(headers.get("ratelimit")!)![1]);
    const before = left(await bo("GET", conversation.path));
    const waiting: Promise<Answer>[] = [];
    for (let count = 1; count <= 5; count++) {
      waiting.push(bo("GET", `${conversation.messages}?wait=${LONG}`));
      await waitingReach(small, count);
    }
    expect((await bo("GET", conversation.path)).status).toBe(200);
    // This wakes them, and they continue to wait.
    await cy("DELETE", `${conversation.members}/${cy.userId}`);
    await send(ada, conversation, "One");
    for (const answer of await Promise.all(waiting)) expect(bodies(answer)).toEqual(["One"]);
    expect(left(await bo("GET", conversation.path))).toBe(before - 7);
  });

  it(sentence("**It can end earlier**, with nothing: when the service stops"), async () => {
    const stopping = await startTestService({ ROLE: "api", METRICS_PORT: "0" });
    const [ada, bo] = [await stopping.as(), await stopping.as()];
    const conversation = await openConversation(ada, [bo]);
    const waiting = bo("GET", `${conversation.messages}?wait=${LONG}`);
    await waitingReach(stopping, 1);
    const stoppedMs = performance.now();
    await stopping.close();
    const answer = await waiting;
    expect(performance.now() - stoppedMs).toBeLessThan((LONG - 10) * 1_000);
    expect(answer).toMatchObject({ status: 200, body: { data: [] } });
    expect(answer.headers.get("connection")).toBe("close");
  });

  it("never waits with MAX_WAITING=0", async () => {
    await using patient = await startTestService({ ROLE: "api", MAX_WAITING: "0" });
    const ada = await patient.as();
    expect((await ada("GET", `/notifications?wait=${LONG}`)).body.data).toEqual([]);
  });
});

const BADGE = `/notifications?status=unread&limit=1`;

const ifNoneMatch = (etag: string | null) => ({ headers: { "If-None-Match": etag! } });

/** Begins to wait for another badge than the present one. */
async function nextBadge(reader: Client): Promise<() => Promise<Answer>> {
  const { headers } = await reader("GET", BADGE);
  const waiting = reader("GET", `${BADGE}&wait=${LONG}`, undefined, ifNoneMatch(headers.get("etag")));
  return () => waiting;
}

/** The badge that a reader gets who waits for another one than the present one until this happens. */
async function badgeAfter(reader: Client, happens: () => Promise<unknown>): Promise<Body> {
  const waiting = await nextBadge(reader);
  return (await answerAfter(waiting(), happens)).body;
}

describe("GET /notifications with wait", () => {
  const ADDED = { data: [{ kind: "conversation.member_added" }], unread_count: 1 };

  it(`waits for ${sentence("the first item of an empty page")}`, async () => {
    const [ada, bo] = [await service.as(), await service.as()];
    const waiting = bo("GET", `/notifications?wait=${LONG}`);
    expect((await answerAfter(waiting, () => openConversation(ada, [bo]))).body).toMatchObject(ADDED);
  });

  it("returns the notification of a user as soon as the user is added to a conversation that exists", async () => {
    const [{ ada, conversation }, cy] = [await startTalk(), await service.as()];
    const waiting = cy("GET", `/notifications?wait=${LONG}`);
    const add = () => ada("PUT", `${conversation.members}/${cy.userId}`);
    expect((await answerAfter(waiting, add)).body).toMatchObject(ADDED);
  });

  it(`with If-None-Match, waits for ${sentence("another page or `unread_count`")}`, async () => {
    const { ada, bo, conversation } = await startTalk();
    const first = await badgeAfter(bo, () => send(ada, conversation, "One"));
    expect(first).toMatchObject({ data: [{ event_count: 1 }], unread_count: 2 });
    const second = await badgeAfter(bo, () => send(ada, conversation, "Two"));
    expect(second).toMatchObject({ data: [{ event_count: 2, body: "Two" }], unread_count: 2 });
    // In another window of the same user.
    const third = await badgeAfter(bo, () => bo("PATCH", "/notifications", { status: "read", seen: second.seen }));
    expect(third).toMatchObject({ data: [], unread_count: 0 });
  });

  it("with If-None-Match, returns 304 after the timeout if the page stays the same", async () => {
    const bo = await service.as();
    const { headers } = await bo("GET", BADGE);
    const startedMs = performance.now();
    expect((await bo("GET", `${BADGE}&wait=1`, undefined, ifNoneMatch(headers.get("etag")))).status).toBe(304);
    // A timer counts whole milliseconds from the beginning of one, so it can be less than a millisecond early.
    expect(Math.ceil(performance.now() - startedMs)).toBeGreaterThanOrEqual(1_000);
  });

  it("continues to wait when a message concerns a muted conversation, and ends with the next notification", async () => {
    const { ada, bo, conversation: muted } = await startTalk();
    const other = await openConversation(ada, [bo]);
    await bo("PUT", `${muted.path}/mute`);
    const badge = await badgeAfter(bo, async () => {
      await send(ada, muted, "Not for bo");
      await send(ada, other, "For bo");
    });
    expect(badge).toMatchObject({ data: [{ body: "For bo" }] });
  });

  type Talk = Awaited<ReturnType<typeof startTalk>>;
  const mark = async ({ bo }: Talk) => {
    const [one] = (await bo("GET", BADGE)).body.data;
    return bo("PATCH", `/notifications/${one.id}`, { status: "read" });
  };
  it.each<[string, number, (talk: Talk) => Promise<Answer>]>([
    [
      "reads the conversation elsewhere",
      0,
      ({ bo, conversation: { path } }) => bo("PUT", `${path}/read-position`, { sequence: 1 }),
    ],
    ["marks one of two notifications", 1, mark],
    ["answers in a muted conversation", 0, ({ bo, conversation }) => send(bo, conversation, "An answer")],
    ["is removed from the conversation", 0, ({ ada, bo, conversation: { members } }) => ada("DELETE", `${members}/${bo.userId}`)],
  ])("ends when the user %s: then %d are unread", async (what, unread, act) => {
    const talk = await startTalk();
    await send(talk.ada, talk.conversation, "One");
    if (what.includes("muted")) await talk.bo("PUT", `${talk.conversation.path}/mute`);
    const badge = await badgeAfter(talk.bo, async () => expect((await act(talk)).status).toBeLessThan(300));
    expect(badge.unread_count).toBe(unread);
  });

  it("ends after a message that comes while the members of other conversations are looked up", async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    const lookups: (readonly string[])[] = [];
    const { promise: answer, resolve } = Promise.withResolvers<void>();
    const polling = openLongPolling({
      ...{ databaseUrl: service.databaseUrl, log: pino({ level: "silent" }), max: 1, maxPerCaller: 1 },
      async findUnmutedMembers(ids) {
        lookups.push(ids);
        await answer;
        return ids.includes(second) ? [{ userId: "bo" }] : [];
      },
    });
    const subscription = polling.subscriptions.subscribe("bo", "user:bo")!;
    polling.publish(`conversation:${first}`);
    polling.publish(`conversation:${second}`);
    resolve();
    const res = new EventEmitter() as ServerResponse;
    expect(await subscription.changed(performance.now() + 2_000, res)).toBe(true);
    expect(lookups).toEqual([[first], [second]]);
    await polling.close();
  });

  /** The page after the last notification of a user in this order. */
  async function afterTheLast(ada: Client, bo: Client, sort: string): Promise<string> {
    for (let count = 0; count < 2; count++) await openConversation(ada, [bo]);
    const list = `/notifications?limit=1&sort=${sort}`;
    const next = `${list}&after=${(await bo("GET", list)).body.page.next_cursor}`;
    await service.db.notification.deleteMany({ where: { id: (await bo("GET", next)).body.data[0].id } });
    return next;
  }

  it("does not wait for notifications older than the cursor", async () => {
    const [ada, bo] = [await service.as(), await service.as()];
    const next = await afterTheLast(ada, bo, "-created_at");
    const startedMs = performance.now();
    expect((await bo("GET", `${next}&wait=${LONG}`)).body.data).toEqual([]);
    expect(Math.ceil(performance.now() - startedMs)).toBeLessThan(LONG * 1_000);
  });

  it("waits for the next notification after the cursor, oldest first", async () => {
    const [ada, bo] = [await service.as(), await service.as()];
    const waiting = bo("GET", `${await afterTheLast(ada, bo, "created_at")}&wait=${LONG}`);
    let id = "";
    const { body } = await answerAfter(waiting, async () => ({ id } = await openConversation(ada, [bo])));
    expect(body).toMatchObject({ data: [{ resource: { id } }] });
  });
});

/** Two processes of the API with one database. Ada sends to the first one, and bo reads from `other`. */
async function startPair() {
  const stack = new AsyncDisposableStack();
  const database = await createTestDatabase();
  stack.defer(() => database.drop());
  const settings = { ROLE: "api", METRICS_PORT: "0" };
  const first = stack.use(await startTestService(settings, { url: database.url }));
  const other = stack.use(await startTestService(settings, { url: database.url }));
  return {
    first,
    other,
    async withMessage() {
      const [ada, bo] = [await first.as(), await other.as()];
      const conversation = await openConversation(ada, [bo]);
      await send(ada, conversation, "One");
      return { ada, bo, conversation, after: await newestCursor(bo, conversation) };
    },
    /** Closes the sessions on which the processes listen, as a restart of a network does. */
    async dropListeners(): Promise<void> {
      await using session = await openSession(database.url);
      await session.query(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'plumbline changes' AND datname = current_database()",
      );
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

describe("a request that waits at another process", () => {
  const pair = prepare(startPair);

  // The last one loses the connections for LISTEN.
  it.each([false, true])(
    "returns a message and a notification, although it has lost the connection for LISTEN: %s",
    async (isLost) => {
      const { ada, bo, conversation, after } = await pair.withMessage();
      const changed = await nextBadge(bo);
      const waiting = next(bo, conversation, after);
      await waitingReach(pair.other, 2);
      if (isLost) await pair.dropListeners();
      await send(ada, conversation, "Two");
      expect(bodies(await waiting)).toEqual(["Two"]);
      expect((await changed()).body).toMatchObject({ data: [{ body: "Two" }] });
    },
  );

  it("returns a notification whose NOTIFY was lost with the connection for LISTEN", async () => {
    const { bo } = await pair.withMessage();
    const changed = await nextBadge(bo);
    await waitingReach(pair.other, 1);
    // Without a NOTIFY, as if it was sent while nobody listened.
    await pair.first.db.$executeRaw`
      INSERT INTO notifications (id, user_id, subject_id, kind, title, resource_type, resource_id, resource_href)
      VALUES (gen_random_uuid(), ${bo.userId}::uuid, 'x', 'video_upload.failed', 'Lost', 'video_upload', 'x', '/x')`;
    await pair.dropListeners();
    expect((await changed()).body).toMatchObject({ data: [{ title: "Lost" }] });
  });
});

describe("GET /video-uploads/{job_id} with wait", () => {
  it(`returns ${sentence("200 with the state at present")} after the timeout, and 304 with If-None-Match`, async () => {
    const ada = await service.as();
    const job = await upload(ada, await smallClip());
    const answer = await ada("GET", `${uploadPath(job)}?wait=1`);
    expect(answer).toMatchObject({ status: 200, body: { status: "queued" } });
    const headers = { "If-None-Match": answer.headers.get("etag")! };
    expect((await ada("GET", `${uploadPath(job)}?wait=1`, undefined, { headers })).status).toBe(304);
  });

  it("returns 404 as soon as the upload is deleted, and at once for one of another user", async () => {
    const [ada, bo] = [await service.as(), await service.as()];
    const job = await upload(ada, await smallClip());
    expect((await bo("GET", `${uploadPath(job)}?wait=${LONG}`)).status).toBe(404);
    const waiting = ada("GET", `${uploadPath(job)}?wait=${LONG}`);
    expect((await answerAfter(waiting, () => ada("DELETE", uploadPath(job)))).status).toBe(404);
  });

  // Last, because the worker processes what it finds.
  it(`waits for ${sentence("the end of the job")}, with If-None-Match for ${sentence("another state or progress")}, in order`, async () => {
    const ada = await service.as();
    const [job, broken] = [await upload(ada, await smallClip()), await upload(ada, Buffer.from("no video"))];
    const waitFor = (path: string, headers = {}) => ada("GET", `${path}?wait=${LONG}`, undefined, { headers });
    // On a busy machine, the video and the notification can take longer than one wait.
    const end = async () => {
      let answer = await waitFor(uploadPath(job));
      while (answer.headers.has("retry-after")) answer = await waitFor(uploadPath(job));
      return answer.body.status as string;
    };
    const follow = async () => {
      const states: string[] = [];
      let answer = await ada("GET", uploadPath(job));
      while (answer.status === 304 || answer.headers.has("retry-after")) {
        answer = await waitFor(uploadPath(job), { "If-None-Match": answer.headers.get("etag")! });
        if (answer.status === 200) states.push(answer.body.status);
      }
      return states;
    };
    const notified = async () => {
      let { body } = await waitFor("/notifications");
      while (body.data.length === 0) ({ body } = await waitFor("/notifications"));
      return body.data[0].kind as string;
    };
    const [failing, others] = [waitFor(uploadPath(broken)), [end(), follow(), notified()] as const];
    await waitingReach(service, 4);
    const startedMs = performance.now();
    await using _worker = await startWorkerOf(service);
    expect((await failing).body).toMatchObject({ status: "failed" });
    expect(performance.now() - startedMs).toBeLessThan((LONG - 5) * 1_000);
    const [status, states, kind] = await Promise.all(others);
    expect([status, states[0], states.at(-1)]).toEqual(["succeeded", "processing", "succeeded"]);
    expect(kind).toMatch(/^video_upload\.(succeeded|failed)$/);
  });
});
