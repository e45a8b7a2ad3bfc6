import type { EventBody, EventType } from "../../contract/contract.ts";
import type { Outcome } from "../egress/outcome.ts";
import type { ClaimedDelivery, EndpointRow } from "../store.ts";
import * as store from "../store.ts";
import { excerptFor } from "../wire.ts";
import { retryAfterSeconds, retrySeconds } from "./backoff.ts";
import type { AttemptEnd } from "./ends.ts";
import { updateHealth } from "./health.ts";
import type { DeliveryParts } from "./parts.ts";
import { signedHeaders } from "./sign.ts";

/** An endpoint with ready deliveries, and its URL as it was read last. */
export type Target = { readonly id: string; readonly ownerId: string; url: string };

/** `null` if no delivery is ready, and "put back" if one is that can't be attempted now. */
type End = AttemptEnd | "put back" | null;

/** No other worker attempts a delivery for so long after it was claimed: longer than what follows takes. */
const LEASE_SECONDS = 30;
/** An event is sent only so long after its claim, so that its attempt ends before the lease. */
const SEND_WITHIN_MS = 15_000;
/** A delivery that can't be attempted now waits for so long. */
const PUT_BACK_SECONDS = 1;
const NEVER = new AbortController().signal;

/**
 * Attempts the delivery to an endpoint that has been ready the longest. Everything that can take long comes before the rights are read: the
 * connection permit and the connection. So the event is what its user may read when it is sent, to the URL that the endpoint has then.
 */
export async function attemptNext(
  parts: DeliveryParts,
  target: Target,
  { signal, onClaimed }: { readonly signal: AbortSignal; readonly onClaimed: () => void },
): Promise<End> {
  const { pool, limits } = parts;
  const { id: endpointId, ownerId } = target;
  using _connection = await limits.connections.acquire(ownerId, signal);
  using _host = await limits.acquireHost(new URL(target.url).host, ownerId, signal);
  const delivery = await statement(parts, ownerId, signal, () =>
    store.claimDelivery(pool, { ownerId, endpointId, leaseSeconds: LEASE_SECONDS }),
  );
  if (delivery === null) return null;
  const claimedMs = performance.now();
  onClaimed();
  if (new Date(delivery.expiresAt) <= new Date()) {
    const expired = { ownerId, endpointId, failure: "expired", onlyExpired: true } as const;
    await statement(parts, ownerId, signal, () => store.giveUp(pool, expired));
    return "put back";
  }
  try {
    const sent = await send(parts, target, delivery, { signal, claimedMs });
    if (sent === null) return await putBack(parts, delivery, PUT_BACK_SECONDS);
    const end = endOf(sent.outcome);
    // Also while the process stops: what has been sent must not be sent again.
    await statement(parts, ownerId, NEVER, async () => {
      await record(parts, delivery, sent.outcome, end);
      const endpoint = sent.endpoint ?? (await store.findEndpointToSend(pool, { id: endpointId }));
      if (endpoint !== null) await updateHealth(parts, endpoint, end);
    });
    parts.onDelivery(end.kind);
    return end;
  } catch (error) {
    // Another worker sends at once what this one was sending when it stopped.
    if (signal.aborted) await putBack(parts, delivery, 0);
    throw error;
  }
}

type Result = Outcome | { readonly kind: "defect"; readonly durationMs: number };
type Sent = { readonly outcome: Result; readonly endpoint: EndpointRow | null };

/** Connects, and then makes, signs and sends the event. `null` if the endpoint isn't what it was when the connection was opened. */
async function send(
  parts: DeliveryParts,
  target: Target,
  delivery: ClaimedDelivery,
  { signal, claimedMs }: { readonly signal: AbortSignal; readonly claimedMs: number },
): Promise<Sent | null> {
  const opened = await parts.egress.open({ url: target.url, signal });
  if (opened.kind === "failure") return { outcome: opened, endpoint: null };
  using connection = opened.connection;
  const made = await statement(parts, target.ownerId, signal, () => make(parts, target, delivery));
  if (made === null || performance.now() - claimedMs > SEND_WITHIN_MS) return null;
  const { endpoint, body } = made;
  if (body === null) return { outcome: { kind: "defect", durationMs: 0 }, endpoint };
  return { outcome: await connection.post({ headers: signedHeaders(endpoint, delivery.id, body), body }), endpoint };
}

/** Reads the endpoint and makes its event. `null` if nothing may be sent to this URL any more; no body if the event could not be made. */
async function make(parts: DeliveryParts, target: Target, delivery: ClaimedDelivery) {
  const endpoint = await store.findEndpointToSend(parts.pool, { id: target.id });
  if (endpoint === null || endpoint.disabledBecause !== null) return null;
  if (endpoint.url !== target.url) {
    target.url = endpoint.url;
    return null;
  }
  try {
    return { endpoint, body: JSON.stringify(await eventOf(parts, endpoint, delivery)) };
  } catch (error) {
    // A defect of this version, or a database that is away: the event doesn't leave, and a later attempt can succeed.
    parts.log.error({ err: error, delivery_id: delivery.id, event: delivery.event }, "an event could not be made");
    return { endpoint, body: null };
  }
}

/** The event as the contract describes it. */
async function eventOf(parts: DeliveryParts, { scopes }: EndpointRow, delivery: ClaimedDelivery): Promise<EventBody<EventType>> {
  const type = delivery.event as EventType;
  const sender = parts.eventSources[type];
  const mayRead = sender.scope !== null && scopes.includes(sender.scope);
  const data = await sender.data(parts, { ownerId: delivery.ownerId, ids: delivery.data, mayRead });
  const event = { type, timestamp: delivery.createdAt, data } as EventBody<EventType>;
  parts.checkEvent(type, event);
  return event;
}

function endOf(outcome: Result): AttemptEnd {
  const { durationMs } = outcome;
  if (outcome.kind === "failure") return { kind: "unreachable", durationMs };
  if (outcome.kind === "defect") return { kind: "defect", durationMs };
  const { status, retryAfter } = outcome;
  if (status >= 200 && status < 300) return { kind: "succeeded", durationMs, status };
  const mayAsk = status === 429 || status === 503;
  return { kind: "refused", durationMs, status, retryAfterSeconds: mayAsk ? retryAfterSeconds(retryAfter) : 0 };
}

async function record({ pool }: DeliveryParts, delivery: ClaimedDelivery, outcome: Result, { kind }: AttemptEnd): Promise<void> {
  const { ownerId, id, attempts } = delivery;
  const seconds = retrySeconds(attempts + 1);
  const isSuccess = kind === "succeeded";
  const isLast = isSuccess || Date.now() + seconds * 1_000 >= new Date(delivery.expiresAt).getTime();
  const response = outcome.kind === "response" ? outcome : null;
  await store.recordAttempt(pool, {
    ...{ ownerId, id, attempts },
    status: isSuccess ? "succeeded" : isLast ? "failed" : "pending",
    retrySeconds: isLast ? null : seconds,
    responseStatus: response?.status ?? null,
    responseBody: excerptFor(delivery.event, response?.excerpt ?? null),
    failure: outcome.kind === "failure" ? outcome.reason : outcome.kind === "defect" ? "internal_error" : null,
  });
}

async function putBack({ pool }: DeliveryParts, { ownerId, id, attempts }: ClaimedDelivery, delaySeconds: number) {
  const at = new Date(Date.now() + delaySeconds * 1_000).toISOString();
  const [readyAt, delayedUntil] = delaySeconds === 0 ? [at, null] : [null, at];
  await store.putBack(pool, { ownerId, id, attempts, readyAt, delayedUntil });
  return "put back" as const;
}

/** Runs statements when it is the turn of their user, so that deliveries leave the database to requests, and to each other. */
async function statement<T>({ limits }: DeliveryParts, ownerId: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  using _statement = await limits.statements.acquire(ownerId, signal);
  return await work();
}
