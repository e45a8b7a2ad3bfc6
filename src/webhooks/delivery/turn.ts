import { setTimeout as delay } from "node:timers/promises";
import { withWork } from "../../jobs/job.ts";
import { SLOW_LANE, takeTurn } from "../jobs.ts";
import type { EndpointRow } from "../store.ts";
import * as store from "../store.ts";
import { attempt, disable, type DeliveryParts } from "./attempt.ts";
import type { AttemptEnd } from "./ends.ts";

/** How many events an endpoint gets at a time. */
const CONNECTIONS_PER_ENDPOINT = 8;
/** After this, the next endpoint has its turn. */
const TURN_MS = 10_000;
/** How slow an answer can be before the endpoint has to wait with the slow ones. */
const SLOW_MS = 2_000;
/** How long a worker of the lane of those that answer waits for a turn. */
const WORKER_MS = 50;
/** Longer than any turn with its last attempts. */
const LEASE_SECONDS = 25;
const PAUSE_MS = 5_000;
const PAUSE_MAX_MS = 3_600_000;
const DISABLED_AFTER_MS = 5 * 24 * 3_600_000;
const BATCH = 1_000;

/**
 * Sends an endpoint the events that are due, until none is left, it doesn't answer, or its time is over. In the lane of those that answer,
 * the job ends before: no worker waits for a receiver, and 100 that stop answering at once hold up nobody. The turn then goes on under
 * a lease of the endpoint. If the process ends before the turn, its events are sent again after the lease.
 */
export const webhookTurn = withWork(takeTurn, async (parts: DeliveryParts, { endpointId }, { signal, stopping, lane }) => {
  // The signal of a job is aborted when the job ends.
  const turn = sendAll(parts, endpointId, lane === SLOW_LANE ? signal : stopping);
  if (lane === SLOW_LANE) return turn.catch(unlessStopping(signal));
  const isOver = await Promise.race([turn.then(() => true), delay(WORKER_MS, false, { ref: false })]);
  if (isOver) return;
  await store.takeLease(parts.pool, { id: endpointId, seconds: LEASE_SECONDS });
  const interrupted = (error: unknown) => parts.log.debug({ err: error, endpoint_id: endpointId }, "a turn was interrupted");
  turn
    .catch(interrupted)
    .then(() => store.endLease(parts.pool, { id: endpointId }))
    .catch(interrupted);
});

/** What a process was sending when it stops is sent again by another one, so it is no failure of the job. */
const unlessStopping = (signal: AbortSignal) => (error: unknown) => {
  if (!signal.aborted) throw error;
};

async function sendAll(parts: DeliveryParts, endpointId: string, signal: AbortSignal): Promise<void> {
  let ownerId: string | undefined;
  const startedMs = performance.now();
  let isFirst = true;
  while (!signal.aborted && performance.now() - startedMs < TURN_MS) {
    // Read again each time, so that a change, a rotation or a deletion holds for the next event.
    const endpoint = await store.findEndpointToTell(parts.pool, { id: endpointId });
    if (endpoint === null) return;
    ({ ownerId } = endpoint);
    const disabled = { failure: "endpoint_disabled", onlyExpired: false, batch: BATCH } as const;
    if (endpoint.disabledBecause !== null) return void (await store.giveUp(parts.pool, { ownerId, endpointId, ...disabled }));
    // First one event, to see whether the endpoint answers, so that one that doesn't has one connection.
    const due = await store.findDueDeliveries(parts.pool, { ownerId, endpointId, most: isFirst ? 1 : CONNECTIONS_PER_ENDPOINT });
    if (due.length === 0) break;
    const ends = await Promise.all(due.map((it) => attempt(parts, endpoint, it, signal)));
    if (!(await judge(parts, endpoint, ends))) break;
    isFirst = false;
  }
  const expired = { failure: "expired", onlyExpired: true, batch: BATCH } as const;
  if (ownerId !== undefined) await store.giveUp(parts.pool, { ownerId, endpointId, ...expired });
}

/**
 * Records what the ends of some attempts say about their endpoint. False if it gets no further events in this turn: it was slow, or took
 * none of them, and one that fails is not sent all that waits. An event that could not be made says nothing about its endpoint.
 */
async function judge(parts: DeliveryParts, endpoint: EndpointRow, ends: readonly AttemptEnd[]): Promise<boolean> {
  const { pool } = parts;
  const { id } = endpoint;
  const sent = ends.filter((it) => it.kind !== "defect");
  if (sent.length === 0) return false;
  const isUnreachable = sent.some((it) => it.kind === "unreachable");
  const isSlow = isUnreachable || sent.some((it) => it.durationMs > SLOW_MS);
  await store.markSlow(pool, { id, isSlow });
  if (sent.some((it) => it.kind === "succeeded")) {
    await store.markSuccess(pool, { id });
    return !isSlow;
  }
  const now = Date.now();
  const pauseMs = Math.min(PAUSE_MAX_MS, PAUSE_MS * 2 ** Math.min(endpoint.failures, 20));
  const [at, resumeAt] = [new Date(now).toISOString(), new Date(now + pauseMs).toISOString()];
  const marked = await store.markFailure(pool, { id, hasResponse: !isUnreachable, at, resumeAt });
  const since = marked?.failingSince ?? null;
  if (since !== null && now - new Date(since).getTime() > DISABLED_AFTER_MS) await disable(parts, endpoint, "failing");
  return false;
}
