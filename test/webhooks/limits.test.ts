import { randomUUIDv7 } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { purgeDeliveries } from "../../src/webhooks/store.ts";
import type { Client } from "../support/client.ts";
import { openConversation, send } from "../support/conversations.ts";
import { becomes, hurry, testEvent, watchDelivery } from "./support/deliveries.ts";
import { eventually } from "../support/eventually.ts";
import { freePorts } from "../support/ports.ts";
import { prepare } from "../support/prepare.ts";
import { createEndpoint, startReceiver, type Endpoint } from "../support/receiver.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService());

const DAY_SECONDS = 86_400;
const secondsBetween = (from: string | Date, to: string | Date) => (new Date(to).getTime() - new Date(from).getTime()) / 1_000;
const rowOf = (id: string) => service.db.webhookDelivery.findFirstOrThrow({ where: { id } });
const endpointRow = ({ id }: Endpoint) => service.db.webhookEndpoint.findUniqueOrThrow({ where: { id } });
const change = ({ id }: Endpoint, data: object) => service.db.webhookEndpoint.update({ where: { id }, data });

/** Writes deliveries as events do. */
async function insertDeliveries(
  owner: Client,
  endpoint: Endpoint,
  count: number,
  createdAt = new Date(),
  leftSeconds = DAY_SECONDS,
  delay: { readonly nextAttemptAt: null; readonly delayedUntil: Date } | null = null,
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUIDv7());
  await service.db.webhookDelivery.createMany({
    data: ids.map((id, index) => ({
      ...{ id, ownerId: owner.userId, endpointId: endpoint.id, event: "webhook_endpoint.tested" },
      ...{ data: { endpoint_id: endpoint.id }, nextAttemptAt: new Date() },
      ...delay,
      createdAt: new Date(createdAt.getTime() + index),
      expiresAt: new Date(Date.now() + leftSeconds * 1_000),
    })),
  });
  return ids;
}

describe("an attempt that fails is repeated", () => {
  it.each([
    [0, 5],
    [1, 20],
    [2, 80],
    [3, 320],
    [5, 5_120],
    [6, 14_400],
    [40, 14_400],
  ])("after attempt %i and then about %i s", async (before, seconds) => {
    const ada = await service.as();
    await using receiver = await startReceiver((_received, res) => res.writeHead(500).end());
    const endpoint = await createEndpoint(ada, receiver, ["message.created"]);
    const id = randomUUIDv7();
    const now = new Date();
    await service.db.webhookDelivery.create({
      data: {
        ...{ id, ownerId: ada.userId, endpointId: endpoint.id, event: "webhook_endpoint.tested", attempts: before },
        ...{ data: { endpoint_id: endpoint.id }, createdAt: now, nextAttemptAt: now },
        expiresAt: new Date(now.getTime() + DAY_SECONDS * 1_000),
      },
    });
    const delivery = await watchDelivery(ada, `${endpoint.path}/deliveries/${id}`).reaches("pending", before + 1);
    const waits = secondsBetween(delivery.attempted_at, delivery.next_attempt_at);
    expect(waits).toBeGreaterThanOrEqual(0.8 * seconds - 0.1);
    expect(waits).toBeLessThanOrEqual(1.2 * seconds + 0.1);
  });

  it("for a day, and for another day after it was sent again", async () => {
    const [ada, ben] = [await service.as(), await service.as()];
    await using receiver = await startReceiver((_received, res) => res.writeHead(500).end());
    const endpoint = await createEndpoint(ada, receiver, ["message.created"]);
    await send(ben, await openConversation(ben, [ada]), "Hello");
    const ofMessage = await service.db.webhookDelivery.findFirstOrThrow({ where: { endpointId: endpoint.id } });
    expect(secondsBetween(ofMessage.createdAt, ofMessage.expiresAt)).toBe(DAY_SECONDS);
    const { id, path, reaches } = await testEvent(ada, endpoint);
    expect(secondsBetween((await rowOf(id)).createdAt, (await rowOf(id)).expiresAt)).toBe(DAY_SECONDS);
    await reaches("pending");
    await service.db.webhookDelivery.updateMany({ where: { id }, data: { expiresAt: new Date(Date.now() + 60_000) } });
    await ada("POST", `${path}/attempts`, {});
    expect(Math.abs(secondsBetween(new Date(), (await rowOf(id)).expiresAt) - DAY_SECONDS)).toBeLessThan(5);
  });

  it.each([
    ["pending", "that ends before the event does", 30],
    ["failed", "unless the day of the event ends before", 3],
  ])("and is %s after a delay %s", async (status, _what, leftSeconds) => {
    const ada = await service.as();
    await using receiver = await startReceiver((_received, res) => res.writeHead(500).end());
    const endpoint = await createEndpoint(ada, receiver, ["message.created"]);
    const [id] = await insertDeliveries(ada, endpoint, 1, new Date(), leftSeconds);
    await watchDelivery(ada, `${endpoint.path}/deliveries/${id}`).reaches(status);
  });
});

describe("an endpoint is paused", () => {
  it.each([
    [0, 5],
    [1, 10],
    [2, 20],
    [9, 2_560],
    [10, 3_600],
    [60, 3_600],
  ])("after %i failures and one without a response for %i s", async (failures, seconds) => {
    const ada = await service.as();
    const endpoint = await createEndpoint(ada, { url: `http://127.0.0.1:${(await freePorts(1))[0]}/` }, ["message.created"]);
    await change(endpoint, { failures });
    const { reaches } = await testEvent(ada, endpoint);
    await reaches("pending");
    const { paused_until: until } = await eventually("a pause", async () => {
      const { body } = await ada("GET", endpoint.path);
      return body.paused_until === null ? null : body;
    });
    const waits = secondsBetween(new Date(), until);
    expect(waits).toBeLessThanOrEqual(seconds);
    expect(waits).toBeGreaterThan(seconds - 5);
  });

  it("after the third refusal in a row, and not after the second", async () => {
    const ada = await service.as();
    await using receiver = await startReceiver((_received, res) => res.writeHead(500).end());
    const endpoint = await createEndpoint(ada, receiver, ["message.created"]);
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

  it.each([
    [429, "120", 120],
    [503, "7200", 3_600],
    [503, "soon", 0],
    [500, "120", 0],
  ])("after %i with Retry-After: %s for %i s", async (status, value, seconds) => {
    const ada = await service.as();
    await using receiver = await startReceiver((_received, res) => res.writeHead(status, { "Retry-After": value }).end());
    const endpoint = await createEndpoint(ada, receiver, ["message.created"]);
    await (await testEvent(ada, endpoint)).reaches("pending");
    const row = await eventually("a failure", async () => {
      const found = await endpointRow(endpoint);
      return found.failures === 1 ? found : null;
    });
    const waits = row.resumeAt === null ? 0 : secondsBetween(new Date(), row.resumeAt);
    expect(waits).toBeLessThanOrEqual(seconds);
    expect(waits).toBeGreaterThanOrEqual(seconds - 5);
  });

  it("and only deliveries that its owner asks for are sent then; the others have the end of the pause as their next attempt", async () => {
    const [ada, ben] = [await service.as(), await service.as()];
    await using receiver = await startReceiver();
    const endpoint = await createEndpoint(ada, receiver, ["message.created"]);
    const conversation = await openConversation(ben, [ada]);
    const until = new Date(Date.now() + 600_000);
    await change(endpoint, { failures: 7, failingSince: new Date(), resumeAt: until });
    await send(ben, conversation, "Later");
    const pending = async () => (await ada("GET", `${endpoint.path}/deliveries?status=pending`)).body.data;
    const [{ id, next_attempt_at: next }] = await pending();
    expect(next).toBe(until.toISOString());
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

  it.each([
    ["a success", (ada: Client, endpoint: Endpoint) => testEvent(ada, endpoint)],
    ["status active", (ada: Client, endpoint: Endpoint) => ada("PATCH", endpoint.path, { status: "active" })],
    [
      "a new url",
      async (ada: Client, endpoint: Endpoint) => ada("PATCH", endpoint.path, { url: (await endpointRow(endpoint)).url }),
    ],
  ])("until %s, which sends at once what waits", async (_what, end) => {
    const [ada, ben] = [await service.as(), await service.as()];
    await using receiver = await startReceiver();
    const endpoint = await createEndpoint(ada, receiver, ["message.created"]);
    const conversation = await openConversation(ben, [ada]);
    await change(endpoint, { failures: 7, failingSince: new Date(), resumeAt: new Date(Date.now() + 600_000) });
    for (let index = 0; index < 3; index++) await send(ben, conversation, `Message ${index}`);
    await end(ada, endpoint);
    await receiver.events("message.created", 3);
    expect(await becomes(ada, endpoint, "active")).toMatchObject({ paused_until: null });
  });
});

describe("an endpoint is disabled", () => {
  it.each([
    ["active", "less than 5 days", 5 * DAY_SECONDS - 60],
    ["disabled", "5 days", 5 * DAY_SECONDS + 1],
  ])("is %s after %s without a success", async (status, _what, seconds) => {
    const ada = await service.as();
    await using receiver = await startReceiver((_received, res) => res.writeHead(500).end());
    const endpoint = await createEndpoint(ada, receiver, ["message.created"]);
    await change(endpoint, { failures: 1, failingSince: new Date(Date.now() - seconds * 1_000) });
    await (await testEvent(ada, endpoint)).reaches(status === "active" ? "pending" : "failed");
    await eventually("a second failure", async () => (await endpointRow(endpoint)).failures === 2);
    await eventually(`an endpoint that is ${status}`, async () => {
      const { disabledBecause } = await endpointRow(endpoint);
      return (disabledBecause === "failing") === (status === "disabled");
    });
  });

  it("and its pending deliveries fail, also those that are delayed", async () => {
    const ada = await service.as();
    await using receiver = await startReceiver((_received, res) => res.writeHead(500).end());
    const endpoint = await createEndpoint(ada, receiver, ["message.created"]);
    const { reaches } = await testEvent(ada, endpoint);
    await reaches("pending");
    await ada("PATCH", endpoint.path, { status: "disabled" });
    expect(await reaches("failed")).toMatchObject({ failure: "endpoint_disabled", next_attempt_at: null });
  });
});

describe("the deliveries to an endpoint", () => {
  it("are attempted 8 at a time", async () => {
    const ada = await service.as();
    let [open, most] = [0, 0];
    await using receiver = await startReceiver((_received, res) => {
      most = Math.max(most, ++open);
      setTimeout(() => {
        open--;
        res.writeHead(204).end();
      }, 100);
    });
    const endpoint = await createEndpoint(ada, receiver, ["message.created"]);
    await insertDeliveries(ada, endpoint, 60);
    await receiver.events("webhook_endpoint.tested", 60);
    expect(most).toBe(8);
  });

  it("are stored for 7 days", async () => {
    const ada = await service.as();
    const endpoint = await createEndpoint(ada, { url: "http://127.0.0.1:1024/" }, ["message.created"]);
    await change(endpoint, { disabledBecause: "owner" });
    const at = (seconds: number) => new Date(Date.now() - seconds * 1_000);
    const [retained] = await insertDeliveries(ada, endpoint, 1, at(7 * DAY_SECONDS - 600));
    const [old] = await insertDeliveries(ada, endpoint, 1, at(7 * DAY_SECONDS + 60));
    await purgeDeliveries(service.db);
    expect((await ada("GET", `${endpoint.path}/deliveries/${retained}`)).status).toBe(200);
    expect((await ada("GET", `${endpoint.path}/deliveries/${old}`)).status).toBe(404);
  });

  it("are pending for at most 10,000; the oldest of more fail", async () => {
    const ada = await service.as();
    const endpoint = await createEndpoint(ada, { url: `http://127.0.0.1:${(await freePorts(1))[0]}/` }, ["message.created"]);
    const delay = { nextAttemptAt: null, delayedUntil: new Date(Date.now() + 600_000) };
    const ids: string[] = [];
    for (let batch = 0; batch < 11; batch++) {
      const createdAt = new Date(Date.now() - 60_000 + batch * 1_000);
      ids.push(...(await insertDeliveries(ada, endpoint, batch === 10 ? 2 : 1_000, createdAt, DAY_SECONDS, delay)));
    }
    await hurry(service, endpoint);
    const [first, second] = [0, 1].map((it) => watchDelivery(ada, `${endpoint.path}/deliveries/${ids[it]}`));
    expect(await first!.reaches("failed", 0)).toMatchObject({ failure: "too_many_pending", next_attempt_at: null });
    await second!.reaches("failed", 0);
    expect(await service.db.webhookDelivery.count({ where: { endpointId: endpoint.id, status: "pending" } })).toBe(10_000);
  });
});

describe("a rotation", () => {
  it("leaves the previous secret valid for 24 hours", async () => {
    const ada = await service.as();
    const endpoint = await createEndpoint(ada, { url: "http://127.0.0.1:1024/" }, ["message.created"]);
    const { body } = await ada("POST", `${endpoint.path}/secrets`, {});
    expect(Math.abs(secondsBetween(new Date(), body.previous_secret_expires_at) - DAY_SECONDS)).toBeLessThan(5);
  });
});

describe("the events of an endpoint", () => {
  it("are only those that it subscribes to", async () => {
    const [ada, ben] = [await service.as(), await service.as()];
    await using receiver = await startReceiver();
    await createEndpoint(ada, receiver, ["notification.created"]);
    const all = await createEndpoint(ada, receiver, ["message.created"]);
    await send(ben, await openConversation(ben, [ada]), "Hello");
    await receiver.events("notification.created", 2);
    await receiver.events("message.created", 1);
    const rows = await service.db.webhookDelivery.findMany({ where: { ownerId: ada.userId } });
    for (const { event, endpointId } of rows) expect(event === "message.created").toBe(endpointId === all.id);
  });

  it("has the time of the event, and a timestamp of the attempt", async () => {
    const ada = await service.as();
    await using receiver = await startReceiver((_received, res) => res.writeHead(500).end());
    const endpoint = await createEndpoint(ada, receiver, ["message.created"]);
    const createdAt = new Date(Date.now() - 3_600_000);
    await insertDeliveries(ada, endpoint, 1, createdAt);
    const [event] = await receiver.events("webhook_endpoint.tested", 1);
    expect(event!.body.timestamp).toBe(createdAt.toISOString());
    const attemptMs = Number(event!.headers["webhook-timestamp"]) * 1_000;
    expect(Math.abs(Date.now() - attemptMs)).toBeLessThan(30_000);
  });

  it("is nothing for a user whose deletion has begun", async () => {
    const [ada, ben] = [await service.as(), await service.as()];
    await using receiver = await startReceiver();
    await using atBen = await startReceiver();
    const endpoint = await createEndpoint(ada, receiver, ["message.created"], ["conversations:read"]);
    await createEndpoint(ben, atBen, ["message.created"]);
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
