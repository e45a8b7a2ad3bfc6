import { hostOfEndpoint } from "../notices.ts";
import type { EndpointRow } from "../store.ts";
import * as store from "../store.ts";
import type { AttemptEnd } from "./ends.ts";
import type { DeliveryParts } from "./parts.ts";

const FIRST_PAUSE_SECONDS = 5;
const MAX_PAUSE_SECONDS = 3_600;
/** A receiver can refuse single events and accept others, so fewer refusals in a row are no reason for a pause. */
const REFUSALS_BEFORE_PAUSE = 3;
const DISABLED_AFTER_MS = 5 * 24 * 3_600_000;
/** The status by which a receiver says that it wants no more events (Standard Webhooks). */
const GONE = 410;
/** Of more pending deliveries of one endpoint, the oldest fail. Only one that fails falls behind by so many. */
const PENDING_MAX = 10_000;

/**
 * How long an endpoint is paused after a number of attempts in a row that have failed, in seconds: 5, 10, 20, and so on, up to an hour, or
 * longer if its receiver asks for it. 0 after the first two of a receiver that answers.
 */
export function pauseSeconds({ kind, retryAfterSeconds = 0 }: AttemptEnd, failures: number): number {
  const exponent = kind === "unreachable" ? failures - 1 : failures - REFUSALS_BEFORE_PAUSE;
  const seconds = exponent < 0 ? 0 : FIRST_PAUSE_SECONDS * 2 ** Math.min(exponent, 20);
  return Math.min(MAX_PAUSE_SECONDS, Math.max(seconds, retryAfterSeconds));
}

/** Records what the end of an attempt says about its endpoint, as it was read before. An event that could not be made says nothing. */
export async function updateHealth(parts: DeliveryParts, endpoint: EndpointRow, end: AttemptEnd): Promise<void> {
  const { pool } = parts;
  const { id, failures, resumeAt } = endpoint;
  if (end.kind === "defect") return;
  const isUnderWay = resumeAt !== null && new Date(resumeAt) > new Date();
  if (end.kind === "succeeded") {
    if (failures > 0 || endpoint.failingSince !== null) await store.markSuccess(pool, { id });
    // Again after each success until then: an event of a transaction that began before the first one can still be delayed.
    if (isUnderWay) while (await store.endPause(pool, endpoint));
    return;
  }
  if (end.status === GONE) return disable(parts, endpoint, "gone");
  await store.dropOldest(pool, endpoint, PENDING_MAX);
  // What is sent during a pause, such as a test event, doesn't make it longer.
  if (failures > 0 && isUnderWay) return;
  const now = Date.now();
  const seconds = pauseSeconds(end, failures + 1);
  const marked = await store.markFailure(pool, {
    ...{ id, failures, at: new Date(now).toISOString() },
    resumeAt: seconds === 0 ? null : new Date(now + seconds * 1_000).toISOString(),
  });
  const since = marked?.failingSince ?? null;
  if (since !== null && now - new Date(since).getTime() > DISABLED_AFTER_MS) await disable(parts, endpoint, "failing");
}

/** Disables an endpoint, and notifies its owner in the same statement. Its pending deliveries fail. */
async function disable({ pool, log }: DeliveryParts, endpoint: EndpointRow, reason: "failing" | "gone"): Promise<void> {
  const { id, ownerId } = endpoint;
  const disabled = await store.disableEndpoint(pool, { id, host: hostOfEndpoint(endpoint), reason });
  if (disabled === null) return;
  log.warn({ endpoint_id: id, reason }, "a webhook endpoint was disabled");
  await store.endPending(pool, { id, ownerId });
}
