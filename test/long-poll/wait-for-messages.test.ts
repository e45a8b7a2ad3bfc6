import { describe, expect, it } from "@jest/globals";
import type { Answer, Body, Client } from "../support/client.ts";
import { openConversation, send, type Conversation } from "../support/conversations.ts";
import { eventually } from "../support/eventually.ts";
import { usedBeforeExpiry } from "../support/expiry.ts";
import { waitingOf, waitingReach } from "../support/metrics.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";
import { startPair } from "./support/waiting.ts";

/** Far more than a test takes: a response that comes has not waited until the end. */
const LONG = 30;
const service = prepare(() => startTestService({ ROLE: "api", METRICS_PORT: "0", DATABASE_POOL_SIZE: "2" }));

async function withMessage() {
  const [ada, bo] = [await service.as(), await service.as()];
  const conversation = await openConversation(ada, [bo]);
  await send(ada, conversation, "One");
  return { ada, bo, conversation, after: await newestCursor(bo, conversation) };
}

const newestCursor = async (reader: Client, { messages }: Conversation) =>
  (await reader("GET", `${messages}?limit=1`)).body.page.prev_cursor as string;
const next = (reader: Client, { messages }: Conversation, after: string, seconds = LONG) =>
  reader("GET", `${messages}?after=${after}&wait=${seconds}`);
const bodies = ({ body }: Answer) => body.data.map((it: Body) => it.body);

describe("GET /conversations/{conversationId}/messages with wait", () => {
  it("returns at once the messages that exist already", async () => {
    const { ada, bo, conversation, after } = await withMessage();
    await send(ada, conversation, "Two");
    expect(bodies(await next(bo, conversation, after))).toEqual(["Two"]);
    expect(bodies(await bo("GET", `${conversation.messages}?wait=${LONG}`))).toEqual(["Two", "One"]);
  });

  it("returns a message as soon as it is sent, and then the one after its prev_cursor, with cursors that need no wait", async () => {
    const { ada, bo, conversation, after } = await withMessage();
    const first = next(bo, conversation, after);
    await waitingReach(service, 1);
    await send(ada, conversation, "Two");
    const { body } = await first;
    expect(bodies({ body } as Answer)).toEqual(["Two"]);
    const second = next(bo, conversation, body.page.prev_cursor);
    await waitingReach(service, 1);
    await send(ada, conversation, "Three");
    const answer = await second;
    expect(bodies(answer)).toEqual(["Three"]);
    expect(bodies(await bo("GET", `${conversation.messages}?after=${body.page.prev_cursor}`))).toEqual(["Three"]);
    expect(answer.headers.get("link")).not.toContain("wait");
    expect(await waitingOf(service)).toBe(0);
  });

  it("returns a message that is sent between the first read and the wait", async () => {
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

  it("returns the first message of a conversation that has none", async () => {
    const [ada, bo] = [await service.as(), await service.as()];
    const conversation = await openConversation(ada, [bo]);
    const waiting = bo("GET", `${conversation.messages}?wait=${LONG}`);
    await waitingReach(service, 1);
    await send(ada, conversation, "One");
    expect(bodies(await waiting)).toEqual(["One"]);
  });

  it("returns an empty page with the same prev_cursor after the timeout, and no earlier", async () => {
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
    const waiting = next(bo, conversation, after);
    await waitingReach(service, 1);
    await send(ada, other, "Elsewhere");
    await send(ada, conversation, "Two");
    expect(bodies(await waiting)).toEqual(["Two"]);
  });

  it("does not wait for messages before a cursor", async () => {
    const { bo, conversation, after } = await withMessage();
    expect(bodies(await bo("GET", `${conversation.messages}?before=${after}&wait=${LONG}`))).toEqual([]);
  });

  it("returns 403 at once to a stranger, and as soon as the membership ends", async () => {
    const { ada, bo, conversation, after } = await withMessage();
    const stranger = await service.as();
    expect(await next(stranger, conversation, after)).toMatchObject({ status: 403, body: { code: "not_a_member" } });
    const waiting = next(bo, conversation, after);
    await waitingReach(service, 1);
    expect((await ada("DELETE", `${conversation.members}/${bo.userId}`)).status).toBe(204);
    expect(await waiting).toMatchObject({ status: 403, body: { code: "not_a_member" } });
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

  it("returns at once if 16 requests of the user wait, and the others of the user still wait", async () => {
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

  it.each(["-1", "31", "1.5", "x"])("refuses wait=%s", async (wait) => {
    const { bo, conversation } = await withMessage();
    expect(await bo("GET", `${conversation.messages}?wait=${wait}`)).toMatchObject({
      status: 400,
      body: { code: "validation_failed", errors: [{ in: "query", pointer: "/wait" }] },
    });
  });
});

describe("A request that waits", () => {
  it("does not count as a concurrent request", async () => {
    await using small = await startTestService({
      ROLE: "api",
      METRICS_PORT: "0",
      MAX_IN_FLIGHT: "2",
      MAX_IN_FLIGHT_PER_USER: "1",
    });
    const [ada, bo] = [await small.as(), await small.as()];
    const conversation = await openConversation(ada, [bo]);
    const waiting: Promise<Answer>[] = [];
    for (let count = 1; count <= 5; count++) {
      waiting.push(bo("GET", `${conversation.messages}?wait=${LONG}`));
      await waitingReach(small, count);
    }
    expect((await bo("GET", conversation.path)).status).toBe(200);
    await send(ada, conversation, "One");
    for (const answer of await Promise.all(waiting)) expect(bodies(answer)).toEqual(["One"]);
  });

  it("counts as one request towards the rate limit, also if it is woken", async () => {
    await using limited = await startTestService({ ROLE: "api", METRICS_PORT: "0", RATE_LIMITS: "default=100/3600" });
    const [ada, bo] = [await limited.as(), await limited.as()];
    const cy = await limited.as();
    const conversation = await openConversation(ada, [bo, cy]);
    const left = ({ headers }: Answer) => Number(/;r=(\d+)/.exec(headers.get("ratelimit")!)![1]);
    const before = left(await bo("GET", conversation.path));
    const waiting = bo("GET", `${conversation.messages}?wait=${LONG}`);
    await waitingReach(limited, 1);
    // This wakes it, and it continues to wait.
    await cy("DELETE", `${conversation.members}/${cy.userId}`);
    await send(ada, conversation, "One");
    expect(bodies(await waiting)).toEqual(["One"]);
    expect(left(await bo("GET", conversation.path))).toBe(before - 2);
  });

  it("returns a message that another process has sent", async () => {
    await using pair = await startPair({ ROLE: "api", METRICS_PORT: "0" });
    const { ada, bo, conversation, after } = await pair.withMessage();
    const waiting = next(bo, conversation, after);
    await waitingReach(pair.other, 1);
    await send(ada, conversation, "Two");
    expect(bodies(await waiting)).toEqual(["Two"]);
  });

  it("returns a message that was sent while its process had lost the connection for LISTEN", async () => {
    await using pair = await startPair({ ROLE: "api", METRICS_PORT: "0" });
    const { ada, bo, conversation, after } = await pair.withMessage();
    const waiting = next(bo, conversation, after);
    await waitingReach(pair.other, 1);
    await pair.dropListeners();
    await send(ada, conversation, "Two");
    expect(bodies(await waiting)).toEqual(["Two"]);
  });

  it("ends at once, with nothing new, when its process stops", async () => {
    const stopping = await startTestService({ ROLE: "api", METRICS_PORT: "0" });
    const [ada, bo] = [await stopping.as(), await stopping.as()];
    const conversation = await openConversation(ada, [bo]);
    const waiting = bo("GET", `${conversation.messages}?wait=${LONG}`);
    await waitingReach(stopping, 1);
    await stopping.close();
    const answer = await waiting;
    expect(answer).toMatchObject({ status: 200, body: { data: [] } });
    expect(answer.headers.get("connection")).toBe("close");
  });

  it("never waits with MAX_WAITING=0", async () => {
    await using patient = await startTestService({ ROLE: "api", MAX_WAITING: "0" });
    const ada = await patient.as();
    expect((await ada("GET", `/notifications?wait=${LONG}`)).body.data).toEqual([]);
  });
});
