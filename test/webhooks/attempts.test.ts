import { describe, expect, it } from "@jest/globals";
import { pino } from "pino";
import { connect, type Connections } from "../../src/database/client.ts";
import type { EventSources } from "../../src/contract/events.ts";
import { attemptNext } from "../../src/webhooks/delivery/attempt.ts";
import { startDispatcher } from "../../src/webhooks/delivery/dispatcher.ts";
import { EndpointSender } from "../../src/webhooks/delivery/endpoint-sender.ts";
import { createDeliveryLimits } from "../../src/webhooks/delivery/limits.ts";
import type { DeliveryParts } from "../../src/webhooks/delivery/parts.ts";
import type { Connection } from "../../src/webhooks/egress/egress.ts";
import { webhookEventSources } from "../../src/webhooks/sender.ts";
import { claimDelivery, expireDeliveries } from "../../src/webhooks/store.ts";
import { hold } from "../support/locks.ts";
import { prepare } from "../support/prepare.ts";
import { createEndpoint } from "../support/receiver.ts";
import { startTestService } from "../support/service.ts";

// Without a worker: each test makes the only attempt.
const service = prepare(() => startTestService({ ROLE: "api" }));
const database = prepare(() => connect(service.databaseUrl, { DATABASE_POOL_SIZE: 4 }, () => undefined));

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000);
const response = (status: number) => ({ kind: "response", status, retryAfter: null, excerpt: "", durationMs: 1 }) as const;

/** An endpoint with a test event that is ready. */
async function readyEvent(delivery: object = {}, endpoint: object = {}) {
  const ada = await service.as();
  const { id: endpointId, path } = await createEndpoint(ada, { url: "https://hooks.example.org/" }, ["message.created"]);
  const { headers } = await ada("POST", `${path}/deliveries`, {});
  const id = headers.get("location")!.split("/").at(-1)!;
  await service.db.webhookDelivery.updateMany({ where: { id }, data: delivery });
  await service.db.webhookEndpoint.update({ where: { id: endpointId }, data: endpoint });
  return { ada, path, id, endpointId, ownerId: ada.userId };
}
type Ready = Awaited<ReturnType<typeof readyEvent>>;
const rowOf = ({ id }: Ready) => service.db.webhookDelivery.findFirstOrThrow({ where: { id } });

/** The parts of a worker, with a connection that answers by `post`. */
const partsWith = (post: Connection["post"]): DeliveryParts => ({
  ...{ db: database.db, pool: database.pool, log: pino({ level: "silent" }), limits: createDeliveryLimits() },
  egress: {
    open: async () => ({ kind: "open", connection: { post, [Symbol.dispose]: () => undefined } }),
    close: async () => undefined,
  },
  eventSources: webhookEventSources as EventSources<Connections>,
  ...{ checkEvent: () => undefined, onDelivery: () => undefined },
});

/** Attempts an event. When it has been sent, `post` happens, and returns the response. */
async function attempt({ ownerId, endpointId }: Ready, post: (stop: AbortController) => ReturnType<Connection["post"]>) {
  const stop = new AbortController();
  const target = { id: endpointId, ownerId, url: "https://hooks.example.org/" };
  return attemptNext(
    partsWith(() => post(stop)),
    target,
    { signal: stop.signal, onClaimed: () => undefined },
  );
}

const PAUSED = { failures: 3, resumeAt: inSeconds(600) };
it.each([
  [true, "works", {}, {}],
  [false, "is disabled", {}, { disabledBecause: "owner" }],
  [false, "is paused", { ignoresPause: false }, PAUSED],
  [true, "is paused, though its owner asked for the event,", { ignoresPause: true }, PAUSED],
  [true, "was paused", { ignoresPause: false }, { failures: 3, resumeAt: inSeconds(-1) }],
])("an event is claimed: %s, if its endpoint %s when it is claimed", async (isClaimed, _what, delivery, endpoint) => {
  const ready = await readyEvent(delivery, endpoint);
  const claimed = await claimDelivery(database.pool, { ...ready, leaseSeconds: 30 });
  expect(claimed?.id).toBe(isClaimed ? ready.id : undefined);
});

describe("the result of an attempt", () => {
  it("is recorded although the worker begins to stop then, so that the event is not sent again", async () => {
    const ready = await readyEvent();
    await attempt(ready, async (stop) => {
      stop.abort();
      return response(204);
    });
    expect(await rowOf(ready)).toMatchObject({ status: "succeeded", attempts: 1 });
  });

  it.each<[string, (ready: Ready) => Promise<unknown>, object]>([
    [
      "another worker has recorded one",
      ({ id }) => service.db.webhookDelivery.updateMany({ where: { id }, data: { attempts: 1, responseStatus: 500 } }),
      { status: "pending", attempts: 1, responseStatus: 500 },
    ],
    [
      "its endpoint was disabled",
      ({ ada, path }) => ada("PATCH", path, { status: "disabled" }),
      { status: "failed", attempts: 0, failure: "endpoint_disabled" },
    ],
    [
      "its endpoint was deleted",
      ({ endpointId: id }) => service.db.webhookEndpoint.delete({ where: { id } }),
      { status: "pending", attempts: 0 },
    ],
  ])("changes nothing if %s meanwhile", async (_what, meanwhile, expected) => {
    const ready = await readyEvent();
    await attempt(ready, async () => {
      await meanwhile(ready);
      return response(204);
    });
    expect(await rowOf(ready)).toMatchObject(expected);
  });

  it("counts one failure of the endpoint if another attempt has failed at the same time", async () => {
    const ready = await readyEvent();
    const where = { id: ready.endpointId };
    await attempt(ready, async () => {
      await service.db.webhookEndpoint.update({ where, data: { failures: 1 } });
      return response(500);
    });
    expect(await service.db.webhookEndpoint.findUnique({ where })).toMatchObject({ failures: 1 });
  });
});

describe("an event", () => {
  it("can be sent by another worker at once if its worker stops before there is a response", async () => {
    const ready = await readyEvent();
    const interrupted = attempt(ready, async (stop) => {
      stop.abort(new Error("stopped"));
      stop.signal.throwIfAborted();
      return response(204);
    });
    await expect(interrupted).rejects.toThrow("stopped");
    const { status, attempts, nextAttemptAt, delayedUntil } = await rowOf(ready);
    expect({ status, attempts, delayedUntil }).toEqual({ status: "pending", attempts: 0, delayedUntil: null });
    expect(nextAttemptAt!.getTime()).toBeLessThanOrEqual(Date.now());
  });

  it("is not sent after its day, and fails", async () => {
    const ready = await readyEvent({ expiresAt: inSeconds(-1) });
    let sent = 0;
    await attempt(ready, async () => {
      sent++;
      return response(204);
    });
    expect([sent, await rowOf(ready)]).toMatchObject([0, { status: "failed", failure: "expired", attempts: 0 }]);
  });

  it("does not expire if its owner sends it again while it does", async () => {
    const ready = await readyEvent({ expiresAt: inSeconds(-1) });
    const again = "UPDATE webhook_deliveries SET expires_at = now() + interval '1 day' WHERE id = $1::uuid";
    await using sending = await hold(service.databaseUrl, again, [ready.id]);
    const expiring = expireDeliveries(database.pool, { ...ready, failure: "expired", onlyExpired: true });
    await sending.blocks(1);
    await sending.query("COMMIT");
    expect([await expiring, await rowOf(ready)]).toMatchObject([0, { status: "pending" }]);
  });
});

it.each([
  ["several events", "of 2 s", 2_000],
  ["one event", "that are slower", 2_001],
])("an endpoint gets %s at a time after responses %s", async (expected, _what, durationMs) => {
  const ready = await readyEvent();
  for (let more = 0; more < 15; more++) await ready.ada("POST", `${ready.path}/deliveries`, {});
  let [open, most] = [0, 0];
  const parts = partsWith(async () => {
    most = Math.max(most, ++open);
    for (let query = 0; query < 20; query++) await rowOf(ready);
    open--;
    return { ...response(204), durationMs };
  });
  const { promise: idle, resolve } = Promise.withResolvers<void>();
  const target = { id: ready.endpointId, ownerId: ready.ownerId, url: "https://hooks.example.org/" };
  new EndpointSender(parts, target, new AbortController().signal, resolve).start();
  await idle;
  expect(most === 1 ? "one event" : "several events").toBe(expected);
});

it("a worker that stops waits until its attempts have ended", async () => {
  // It would find the events of other tests.
  await service.db.webhookDelivery.deleteMany();
  const ready = await readyEvent();
  const [begun, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<ReturnType<typeof response>>()];
  const post = () => {
    begun.resolve();
    return answer.promise;
  };
  const dispatcher = startDispatcher({ ...partsWith(post), onWebhookDelay: () => undefined });
  await begun.promise;
  let isStopped = false;
  const stopping = dispatcher.stop().then(() => (isStopped = true));
  for (let query = 0; query < 10; query++) await rowOf(ready);
  expect(isStopped).toBe(false);
  answer.resolve(response(204));
  await stopping;
  expect(await rowOf(ready)).toMatchObject({ status: "succeeded" });
});
