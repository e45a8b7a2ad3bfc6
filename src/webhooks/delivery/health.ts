import { hostOfEndpoint } from "../notices.ts";
import type { EndpointRow } from "../store.ts";
import * as store from "../store.ts";
import type { AttemptResult } from "./attempt-result.ts";
import type { DeliveryParts } from "./parts.ts";

const FIRST_PAUSE_SECONDS = 5;
const MAX_PAUSE_SECONDS = 3_600;
/** Fewer refusals in a row cause no pause, because a receiver can refuse one event and accept others. */
const REFUSALS_BEFORE_PAUSE = 3;
const DISABLED_AFTER_MS = 5 * 24 * 3_600_000;
/** With this status, a receiver asks for no more events (Standard Webhooks). */
const GONE = 410;
/** The most pending deliveries of an endpoint; older ones fail. Only an endpoint that fails has so many. */
const PENDING_MAX = 10_000;

/**
 * The pause in seconds after consecutive failures: 5, 10, 20 and so on, or `Retry-After`, up to an hour. 0 after the first two
 * refusals.
 */
export function pauseSeconds({ kind, retryAfterSeconds = 0 }: AttemptResult, failures: number): number {
  const exponent = kind === "unreachable" ? failures - 1 : failures - REFUSALS_BEFORE_PAUSE;
  const seconds = exponent < 0 ? 0 : FIRST_PAUSE_SECONDS * 2 ** Math.min(exponent, 20);
  return Math.min(MAX_PAUSE_SECONDS, Math.max(seconds, retryAfterSeconds));
}

/** Updates the failures and the pause of an endpoint after an attempt. A defect of the service doesn't count. */
export async function updateEndpointHealth(parts: DeliveryParts, endpoint: EndpointRow, result: AttemptResult): Promise<void> {
  const { pool } = parts;
  const { id, failures, resumeAt } = endpoint;
  if (result.kind === "defect") return;
  const isPaused = resumeAt !== null && new Date(resumeAt) > new Date();
  if (result.kind === "succeeded") {
    if (failures > 0 || endpoint.failingSince !== null) await store.markSuccess(pool, { id });
    // Repeated after each success during the pause, because a transaction that began earlier can still delay an event.
    if (isPaused) while (await store.endPause(pool, endpoint));
    return;
  }
  if (result.status === GONE) return disable(parts, endpoint, "gone");
  await store.dropOldest(pool, endpoint, PENDING_MAX);
  // Events that are sent during a pause, such as test events, don't extend it.
  if (failures > 0 && isPaused) return;
  const now = Date.now();
  const seconds = pauseSeconds(result, failures + 1);
  const marked = await store.markFailure(pool, {
    ...{ id, failures, at: new Date(now).toISOString() },
    resumeAt: seconds === 0 ? null : new Date(now + seconds * 1_000).toISOString(),
  });
  const since = marked?.failingSince ?? null;
  if (since !== null && now - new Date(since).getTime() > DISABLED_AFTER_MS) await disable(parts, endpoint, "failing");
}

/** Disables an endpoint, notifies its owner in the same statement, and fails its pending deliveries. */
async function disable({ pool, log }: DeliveryParts, endpoint: EndpointRow, reason: "failing" | "gone"): Promise<void> {
  const { id, ownerId } = endpoint;
  const disabled = await store.disableEndpoint(pool, { id, host: hostOfEndpoint(endpoint), reason });
  if (disabled === null) return;
  log.warn({ endpoint_id: id, reason }, "a webhook endpoint was disabled");
  await store.failPending(pool, { id, ownerId });
}
