import type { EventBody, EventType } from "../../contract/contract.ts";
import type { Outcome } from "../egress/outcome.ts";
import type { ClaimedDelivery, EndpointRow } from "../store.ts";
import * as store from "../store.ts";
import { excerptFor } from "../wire.ts";
import { retryAfterSeconds, retrySeconds } from "./backoff.ts";
import type { AttemptResult } from "./attempt-result.ts";
import { updateEndpointHealth } from "./health.ts";
import type { DeliveryParts } from "./parts.ts";
import { signedHeaders } from "./sign.ts";

/** An endpoint with ready deliveries, and its last known URL. */
export type Target = { readonly id: string; readonly ownerId: string; url: string };

/** Null if no delivery is ready; "released" if the claimed one can't be attempted now. */
type NextResult = AttemptResult | "released" | null;

/** How long a claim lasts: longer than an attempt can take. */
const LEASE_SECONDS = 30;
/** The latest time to send an event after its claim, so that the attempt ends within the lease. */
const SEND_WITHIN_MS = 15_000;
/** The delay of a delivery that can't be attempted now. */
const RELEASE_DELAY_SECONDS = 1;
const NEVER_ABORTED = new AbortController().signal;

/**
 * Attempts the oldest ready delivery. Waits for permits and the connection before it reads rights and URL, so that both are
 * current.
 */
export async function attemptNext(
  parts: DeliveryParts,
  target: Target,
  { signal, onClaimed }: { readonly signal: AbortSignal; readonly onClaimed: () => void },
): Promise<NextResult> {
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
    await statement(parts, ownerId, signal, () => store.expireDeliveries(pool, expired));
    return "released";
  }
  try {
    const sent = await send(parts, target, delivery, { signal, claimedMs });
    if (sent === null) return await releaseClaim(parts, delivery, RELEASE_DELAY_SECONDS);
    const result = resultOf(sent.outcome);
    // Even while the process stops, because a sent event must not be sent again.
    await statement(parts, ownerId, NEVER_ABORTED, async () => {
      await record(parts, delivery, sent.outcome, result);
      const endpoint = sent.endpoint ?? (await store.findEndpointToSend(pool, { id: endpointId }));
      if (endpoint !== null) await updateEndpointHealth(parts, endpoint, result);
    });
    parts.onDelivery(result.kind);
    return result;
  } catch (error) {
    // The process stops, so another worker can take the delivery at once.
    if (signal.aborted) await releaseClaim(parts, delivery, 0);
    throw error;
  }
}

type SendOutcome = Outcome | { readonly kind: "defect"; readonly durationMs: number };
type Sent = { readonly outcome: SendOutcome; readonly endpoint: EndpointRow | null };

/** Connects, and then makes, signs and sends the event. Null if the endpoint has changed since the connection was opened. */
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

/** Reads the endpoint and makes its event. Null if this URL may get no events now; a null body after an error. */
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
    // A defect of this version, or a database outage. A later attempt can succeed.
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

function resultOf(outcome: SendOutcome): AttemptResult {
  const { durationMs } = outcome;
  if (outcome.kind === "failure") return { kind: "unreachable", durationMs };
  if (outcome.kind === "defect") return { kind: "defect", durationMs };
  const { status, retryAfter } = outcome;
  if (status >= 200 && status < 300) return { kind: "succeeded", durationMs, status };
  const mayAsk = status === 429 || status === 503;
  return { kind: "refused", durationMs, status, retryAfterSeconds: mayAsk ? retryAfterSeconds(retryAfter) : 0 };
}

async function record(
  { pool }: DeliveryParts,
  delivery: ClaimedDelivery,
  outcome: SendOutcome,
  { kind }: AttemptResult,
): Promise<void> {
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

async function releaseClaim({ pool }: DeliveryParts, { ownerId, id, attempts }: ClaimedDelivery, delaySeconds: number) {
  const at = new Date(Date.now() + delaySeconds * 1_000).toISOString();
  const [readyAt, delayedUntil] = delaySeconds === 0 ? [at, null] : [null, at];
  await store.releaseClaim(pool, { ownerId, id, attempts, readyAt, delayedUntil });
  return "released" as const;
}

/** Runs statements with a permit of their user, so that deliveries don't delay requests or each other. */
async function statement<T>({ limits }: DeliveryParts, ownerId: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  using _statement = await limits.statements.acquire(ownerId, signal);
  return await work();
}
