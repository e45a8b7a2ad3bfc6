import { randomUUIDv7 } from "node:crypto";
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "@jest/globals";
import { createDeliveryLimits } from "../../src/webhooks/delivery/limits.ts";
import { purgeDeliveries } from "../../src/webhooks/store.ts";
import type { Client } from "../support/client.ts";
import { openConversation, send } from "../support/conversations.ts";
import { becomes, hurry, overlapping, prepareReceivers, testEvent, watchDelivery, writerTo } from "./support/deliveries.ts";
import { eventually } from "../support/eventually.ts";
import { freePorts } from "../support/tcp-proxy.ts";
import { prepare } from "../support/prepare.ts";
import { createEndpoint, type Endpoint } from "../support/receiver.ts";
import { sentence } from "../support/sentence.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService());
const subscribed = prepareReceivers(service);

const DAY_SECONDS = 86_400;
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000);
const secondsBetween = (from: string | Date, to: string | Date) => (new Date(to).getTime() - new Date(from).getTime()) / 1_000;
const rowOf = (id: string) => service.db.webhookDelivery.findFirstOrThrow({ where: { id } });
const endpointRow = ({ id }: Endpoint) => service.db.webhookEndpoint.findUniqueOrThrow({ where: { id } });
const change = ({ id }: Endpoint, data: object) => service.db.webhookEndpoint.update({ where: { id }, data });

/** Writes deliveries as events do, the oldest first. Returns their ids. */
async function insertDeliveries(owner: Client, endpoint: Endpoint, count: number, other: object = {}): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUIDv7());
  await service.db.webhookDelivery.createMany({
    data: ids.map((id, index) => ({
      ...{ id, ownerId: owner.userId, endpointId: endpoint.id, event: "webhook_endpoint.tested" },
      ...{ data: { endpoint_id: endpoint.id }, nextAttemptAt: new Date(), createdAt: new Date(Date.now() + index) },
      expiresAt: inSeconds(DAY_SECONDS),
      ...other,
    })),
  });
  return ids;
}

describe("an attempt that fails is repeated", () => {
  const LONGER = sentence("The service repeats it after 5 seconds, and then after longer and longer times, for a day.");
  const WAITS = [
    [0, 5],
    [1, 20],
    [2, 80],
    [3, 320],
    [5, 5_120],
    [6, 14_400],
    [40, 14_400],
  ] as const;
  it(LONGER, async () => {
    const wait = async ([before, seconds]: (typeof WAITS)[number]) => {
      const { ada, endpoint } = await subscribed((_received, res) => res.writeHead(500).end());
      const [id] = await insertDeliveries(ada, endpoint, 1, { attempts: before });
      const delivery = await watchDelivery(ada, `${endpoint.path}/deliveries/${id}`).reaches("pending", before + 1);
      const waits = secondsBetween(delivery.attempted_at, delivery.next_attempt_at);
      return [before, waits >= 0.8 * seconds - 0.1 && waits <= 1.2 * seconds + 0.1];
    };
    expect(await Promise.all(WAITS.map(wait))).toEqual(WAITS.map(([before]) => [before, true]));
  });

  it("for a day, and for another day after it was sent again", async () => {
    const { ada, endpoint } = await subscribed((_received, res) => res.writeHead(500).end());
    await (
      await writerTo(service, ada)
    )("Hello");
    const ofMessage = await service.db.webhookDelivery.findFirstOrThrow({ where: { endpointId: endpoint.id } });
    expect(secondsBetween(ofMessage.createdAt, ofMessage.expiresAt)).toBe(DAY_SECONDS);
    const { id, path, reaches } = await testEvent(ada, endpoint);
    expect(secondsBetween((await rowOf(id)).createdAt, (await rowOf(id)).expiresAt)).toBe(DAY_SECONDS);
    await reaches("pending");
    await service.db.webhookDelivery.updateMany({ where: { id }, data: { expiresAt: new Date(Date.now() + 60_000) } });
    expect((await ada("POST", `${path}/attempts`, {})).body).toMatchObject({ status: "pending", attempt_count: 0 });
    expect(Math.abs(secondsBetween(new Date(), (await rowOf(id)).expiresAt) - DAY_SECONDS)).toBeLessThan(5);
  });

  it.each([
    ["pending", "that ends before the event does", 30],
    ["failed", "unless the day of the event ends before", 3],
  ])("and is %s after a delay %s", async (status, _what, leftSeconds) => {
    const { ada, endpoint } = await subscribed((_received, res) => res.writeHead(500).end());
    const [id] = await insertDeliveries(ada, endpoint, 1, { expiresAt: inSeconds(leftSeconds) });
    await watchDelivery(ada, `${endpoint.path}/deliveries/${id}`).reaches(status);
  });
});

describe("an endpoint is paused", () => {
  const PAUSED = "its events wait until `paused_until`, first for 5 seconds, and up to an hour after further failures.";
  const PAUSES = [
    [0, 5],
    [1, 10],
    [2, 20],
    [9, 2_560],
    [10, 3_600],
    [60, 3_600],
  ] as const;
  it(sentence(PAUSED), async () => {
    const [port] = await freePorts(1);
    const pause = async ([failures, seconds]: (typeof PAUSES)[number]) => {
      const ada = await service.as();
      const endpoint = await createEndpoint(ada, { url: `http://127.0.0.1:${port}/` }, ["message.created"]);
      await change(endpoint, { failures });
      await (await testEvent(ada, endpoint)).reaches("pending");
      const { resumeAt } = await eventually("a pause", async () => {
        const row = await endpointRow(endpoint);
        return row.resumeAt === null ? null : row;
      });
      const waits = secondsBetween(new Date(), resumeAt!);
      expect((await ada("GET", endpoint.path)).body.paused_until).toBe(resumeAt!.toISOString());
      return [failures, waits <= seconds && waits > seconds - 5];
    };
    expect(await Promise.all(PAUSES.map(pause))).toEqual(PAUSES.map(([failures]) => [failures, true]));
  });

  const THREE = sentence("If your receiver doesn't answer, or refuses three events in a row, the endpoint is paused");
  it(`${THREE}, and not after the second`, async () => {
    const { ada, receiver, endpoint } = await subscribed((_received, res) => res.writeHead(500).end());
    const failures = (count: number) =>
      eventually(`${count} failures`, async () => {
        const row = await endpointRow(endpoint);
        return row.failures === count ? row : null;
      });
    await (await testEvent(ada, endpoint)).reaches("pending");
    expect((await failures(1)).resumeAt).toBeNull();
    await (await testEvent(ada, endpoint)).reaches("pending");
    expect((await failures(2)).resumeAt).toBeNull();
    await (await testEvent(ada, endpoint)).reaches("pending");
    expect(secondsBetween(new Date(), (await failures(3)).resumeAt!)).toBeGreaterThan(1);
    // A success ends the pause, and the count begins again.
    receiver.respond = (_received, res) => res.writeHead(204).end();
    await (await testEvent(ada, endpoint)).reaches("succeeded");
    await failures(0);
    expect((await ada("GET", endpoint.path)).body.paused_until).toBeNull();
  });

  const RETRY_AFTER = sentence("A response with `Retry-After` pauses it for so long, at most an hour.");
  const ANSWERS = [
    [429, "120", 120],
    [503, "7200", 3_600],
    [503, "soon", 0],
    [500, "120", 0],
  ] as const;
  it(RETRY_AFTER, async () => {
    const pause = async ([status, value, seconds]: (typeof ANSWERS)[number]) => {
      const { ada, endpoint } = await subscribed((_received, res) => res.writeHead(status, { "Retry-After": value }).end());
      await (await testEvent(ada, endpoint)).reaches("pending");
      const { resumeAt } = await eventually("a failure", async () => {
        const found = await endpointRow(endpoint);
        return found.failures === 1 ? found : null;
      });
      const waits = resumeAt === null ? 0 : secondsBetween(new Date(), resumeAt);
      return [status, value, waits <= seconds && waits >= seconds - 5];
    };
    expect(await Promise.all(ANSWERS.map(pause))).toEqual(ANSWERS.map(([status, value]) => [status, value, true]));
  });

  it("and only deliveries that its owner asks for are sent then; the others have the end of the pause as their next attempt", async () => {
    const { ada, receiver, endpoint } = await subscribed();
    const write = await writerTo(service, ada);
    const until = new Date(Date.now() + 600_000);
    await change(endpoint, { failures: 7, failingSince: new Date(), resumeAt: until });
    await write("Later");
    const pending = async () => (await ada("GET", `${endpoint.path}/deliveries?status=pending`)).body.data;
    const [{ id, next_attempt_at: next }] = await pending();
    expect(next).toBe(until.toISOString());
    const later = new Date(until.getTime() + 60_000);
    await service.db.webhookDelivery.updateMany({ where: { id }, data: { delayedUntil: later } });
    expect((await pending())[0].next_attempt_at).toBe(later.toISOString());
    // One that was ready before the pause is delayed as well.
    await service.db.webhookDelivery.updateMany({ where: { id }, data: { nextAttemptAt: new Date(), delayedUntil: null } });
    expect((await pending())[0].next_attempt_at).toBe(until.toISOString());
    await eventually("a delivery that is delayed", async () => (await rowOf(id)).nextAttemptAt === null);
    receiver.respond = (_received, res) => res.writeHead(500).end();
    await (await testEvent(ada, endpoint)).reaches("pending");
    // A test event that fails doesn't make the pause longer.
    expect((await ada("GET", endpoint.path)).body.paused_until).toBe(until.toISOString());
    expect(receiver.received.map((it) => it.body.type)).toEqual(["webhook_endpoint.tested"]);
    receiver.respond = (_received, res) => res.writeHead(204).end();
    expect((await ada("POST", `${endpoint.path}/deliveries/${id}/attempts`, {})).body.next_attempt_at).not.toBe(
      until.toISOString(),
    );
    await watchDelivery(ada, `${endpoint.path}/deliveries/${id}`).reaches("succeeded");
    expect(await becomes(ada, endpoint, "active")).toMatchObject({ paused_until: null });
  });

  /** Changes an endpoint, which no failure is known of then. */
  async function ends(ada: Client, endpoint: Endpoint, change: object): Promise<void> {
    const { body } = await ada("PATCH", endpoint.path, change);
    expect(body).toMatchObject({ status: "active", failing_since: null, paused_until: null });
  }
  it.each([
    [sentence("A success ends the pause."), (ada: Client, endpoint: Endpoint) => testEvent(ada, endpoint)],
    ["status active", (ada: Client, endpoint: Endpoint) => ends(ada, endpoint, { status: "active" })],
    ["a new url", async (ada: Client, endpoint: Endpoint) => ends(ada, endpoint, { url: (await endpointRow(endpoint)).url })],
  ])("until it ends, when what waits is sent at once: %s", async (_what, end) => {
    const { ada, receiver, endpoint } = await subscribed();
    const write = await writerTo(service, ada);
    await change(endpoint, { failures: 7, failingSince: new Date(), resumeAt: new Date(Date.now() + 600_000) });
    for (let index = 0; index < 3; index++) await write(`Message ${index}`);
    await end(ada, endpoint);
    await receiver.events("message.created", 3);
    expect(await becomes(ada, endpoint, "active")).toMatchObject({ paused_until: null });
  });
});

it("a success during the pause of an endpoint is followed by the events that a transaction which began before it has delayed until the end of the pause", async () => {
  const { ada, endpoint } = await subscribed();
  const until = new Date(Date.now() + 600_000);
  // As after an earlier success.
  await change(endpoint, { resumeAt: until });
  const [late] = await insertDeliveries(ada, endpoint, 1, { nextAttemptAt: null, delayedUntil: until });
  await testEvent(ada, endpoint);
  await watchDelivery(ada, `${endpoint.path}/deliveries/${late}`).reaches("succeeded");
});

describe("an endpoint is disabled", () => {
  const FIVE_DAYS = sentence("If no event has arrived for 5 days");
  it.each([
    ["active", "less than 5 days", 5 * DAY_SECONDS - 60],
    ["disabled", "5 days", 5 * DAY_SECONDS + 1],
  ])(`${FIVE_DAYS}, and you get a notification: it is %s after %s without a success`, async (status, _what, seconds) => {
    const { ada, endpoint } = await subscribed((_received, res) => res.writeHead(500).end());
    await change(endpoint, { failures: 1, failingSince: new Date(Date.now() - seconds * 1_000) });
    await (await testEvent(ada, endpoint)).reaches(status === "active" ? "pending" : "failed");
    await eventually("a second failure", async () => (await endpointRow(endpoint)).failures === 2);
    await eventually(`an endpoint that is ${status}`, async () => {
      const { disabledBecause } = await endpointRow(endpoint);
      return (disabledBecause === "failing") === (status === "disabled");
    });
    const { data } = (await ada("GET", "/notifications?kind=webhook_endpoint.disabled")).body;
    expect(data).toHaveLength(status === "disabled" ? 1 : 0);
  });

  it("and its pending deliveries fail, also those that are delayed", async () => {
    const { ada, endpoint } = await subscribed((_received, res) => res.writeHead(500).end());
    const { path, reaches } = await testEvent(ada, endpoint);
    await reaches("pending");
    await ada("PATCH", endpoint.path, { status: "disabled" });
    expect(await reaches("failed")).toMatchObject({ failure: "endpoint_disabled", next_attempt_at: null });
    expect((await ada("POST", `${path}/attempts`, {})).body.code).toBe("endpoint_disabled");
  });
});

describe("the deliveries to an endpoint", () => {
  it("are attempted 8 at a time", async () => {
    const open = overlapping(204);
    const { ada, receiver, endpoint } = await subscribed(open.respond);
    await insertDeliveries(ada, endpoint, 60);
    await receiver.events("webhook_endpoint.tested", 60);
    expect(open.most).toBe(8);
  });

  it("are attempted one at a time again after a refusal, and none while earlier attempts run", async () => {
    const held: ServerResponse[] = [];
    let arrived = 0;
    const { ada, endpoint } = await subscribed((_received, res) => {
      // After so many, eight are attempted at a time.
      if (++arrived <= 30) res.writeHead(204).end();
      else held.push(res);
    });
    const { ada: ben, endpoint: other } = await subscribed();
    await insertDeliveries(ada, endpoint, 60);
    await eventually("eight requests at a time", () => held.length === 8);
    held[0]!.writeHead(500).end();
    await eventually("a failure", async () => (await endpointRow(endpoint)).failures === 1);
    // A later search sends each of these. It finds the endpoint that failed, too.
    for (const _ of [1, 2]) await (await testEvent(ben, other)).reaches("succeeded");
    expect(held).toHaveLength(8);
  });

  it("of one user have at most 16 connections of a process, and those to one host at most 64", async () => {
    const { connections, acquireHost } = createDeliveryLimits();
    const ofAda = Array.from({ length: 17 }, () => connections.tryAcquire("ada"));
    expect(ofAda.map((it) => it !== null)).toEqual([...Array.from({ length: 16 }, () => true), false]);
    expect(connections.tryAcquire("ben")).not.toBeNull();
    const never = new AbortController().signal;
    let held = 0;
    for (let user = 0; user < 65; user++) void acquireHost("hooks.example.org", `user ${user}`, never).then(() => held++);
    await acquireHost("elsewhere.example.org", "user 64", never);
    expect(held).toBe(64);
  });

  it("are claimed for 30 s, longer than the two times of 10 s and the wait between them that an attempt can take", async () => {
    const { promise: answer, resolve } = Promise.withResolvers<void>();
    const answerLate = (_received: unknown, res: ServerResponse) => void answer.then(() => res.writeHead(204).end());
    const { ada, receiver, endpoint } = await subscribed(answerLate);
    const { id, reaches } = await testEvent(ada, endpoint);
    await receiver.events("webhook_endpoint.tested", 1);
    const claimed = await rowOf(id);
    expect(claimed.nextAttemptAt).toBeNull();
    const leftSeconds = secondsBetween(new Date(), claimed.delayedUntil!);
    expect(leftSeconds).toBeGreaterThan(20);
    expect(leftSeconds).toBeLessThanOrEqual(30);
    resolve();
    await reaches("succeeded");
  });

  it(sentence("Deliveries are kept for 7 days."), async () => {
    const ada = await service.as();
    const endpoint = await createEndpoint(ada, { url: "http://127.0.0.1:1024/" }, ["message.created"]);
    await change(endpoint, { disabledBecause: "owner" });
    const [retained] = await insertDeliveries(ada, endpoint, 1, { createdAt: inSeconds(600 - 7 * DAY_SECONDS) });
    const [old] = await insertDeliveries(ada, endpoint, 1, { createdAt: inSeconds(-60 - 7 * DAY_SECONDS) });
    await purgeDeliveries(service.db);
    expect((await ada("GET", `${endpoint.path}/deliveries/${retained}`)).status).toBe(200);
    expect((await ada("GET", `${endpoint.path}/deliveries/${old}`)).status).toBe(404);
  });

  it(sentence("At most 10 000 events wait for an endpoint: of more, the oldest fail."), async () => {
    const ada = await service.as();
    const endpoint = await createEndpoint(ada, { url: `http://127.0.0.1:${(await freePorts(1))[0]}/` }, ["message.created"]);
    await service.db.$executeRaw`
      INSERT INTO webhook_deliveries (id, owner_id, endpoint_id, event, data, created_at, delayed_until, expires_at)
      SELECT gen_random_uuid(), ${ada.userId}::uuid, ${endpoint.id}::uuid, 'webhook_endpoint.tested', jsonb_build_object('endpoint_id', ${endpoint.id}::text),
        now() - interval '1 minute' + n * interval '1 millisecond', now() + interval '10 minutes', now() + interval '1 day'
      FROM generate_series(1, 10002) n`;
    const oldest = { where: { endpointId: endpoint.id }, orderBy: { createdAt: "asc" }, take: 2 } as const;
    const [first, second] = (await service.db.webhookDelivery.findMany(oldest)).map(({ id }) =>
      watchDelivery(ada, `${endpoint.path}/deliveries/${id}`),
    );
    await hurry(service, endpoint);
    expect(await first!.reaches("failed", 0)).toMatchObject({ failure: "too_many_pending", next_attempt_at: null });
    await second!.reaches("failed", 0);
    expect(await service.db.webhookDelivery.count({ where: { endpointId: endpoint.id, status: "pending" } })).toBe(10_000);
  });
});

describe("the events of an endpoint", () => {
  it(sentence("You can have 10 of them, each with the events that it wants."), async () => {
    const { ada, receiver, endpoint: all } = await subscribed();
    await createEndpoint(ada, receiver, ["notification.created"]);
    await (
      await writerTo(service, ada)
    )("Hello");
    await receiver.events("notification.created", 1);
    await receiver.events("message.created", 1);
    const rows = await service.db.webhookDelivery.findMany({ where: { ownerId: ada.userId } });
    for (const { event, endpointId } of rows) expect(event === "message.created").toBe(endpointId === all.id);
  });

  it("has the time of the event, and a timestamp of the attempt", async () => {
    const { ada, receiver, endpoint } = await subscribed((_received, res) => res.writeHead(500).end());
    const createdAt = new Date(Date.now() - 3_600_000);
    await insertDeliveries(ada, endpoint, 1, { createdAt });
    const [event] = await receiver.events("webhook_endpoint.tested", 1);
    expect(event!.body.timestamp).toBe(createdAt.toISOString());
    const attemptMs = Number(event!.headers["webhook-timestamp"]) * 1_000;
    expect(Math.abs(Date.now() - attemptMs)).toBeLessThan(30_000);
  });

  it("is nothing for a user whose deletion has begun", async () => {
    const { ada, receiver, endpoint } = await subscribed(undefined, ["conversations:read"]);
    const { ada: ben, receiver: atBen } = await subscribed();
    const conversation = await openConversation(ben, [ada]);
    await service.db.user.update({ where: { id: ada.userId }, data: { deletedAt: new Date() } });
    await insertDeliveries(ada, endpoint, 1);
    await send(ben, conversation, "Hello");
    await atBen.events("message.created", 1);
    await hurry(service, endpoint);
    await send(ben, conversation, "And again");
    await atBen.events("message.created", 2);
    expect(receiver.received).toEqual([]);
  });
});
