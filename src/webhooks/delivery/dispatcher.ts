import { setTimeout as delay } from "node:timers/promises";
import * as store from "../store.ts";
import type { ReadyEndpoint } from "../store.ts";
import { EndpointSender } from "./endpoint-sender.ts";
import type { DeliveryParts } from "./parts.ts";

/** How long an event waits for its first attempt at most, if nothing else is to be done. */
const IDLE_INTERVAL_MS = 500;
/** The same after a query that has found something. */
const BUSY_INTERVAL_MS = 100;
/** How many endpoints one query finds. The next one continues after them, at once. */
const ENDPOINTS_PER_QUERY = 500;
/** So that memory is bounded, however many endpoints have ready deliveries. */
const SENDERS_MAX = 10_000;
const BATCH = 1_000;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

type DispatcherParts = DeliveryParts & {
  /** Is called with the age of the oldest ready delivery, in seconds, that no pause delays. */
  readonly onWebhookDelay: (seconds: number) => void;
};

/**
 * Finds endpoints with ready deliveries, and sends them. Deliveries are written where their users are, in the transaction of the event, and
 * that can be another node than the job queue, so no job is enqueued for them.
 */
export function startDispatcher(parts: DispatcherParts) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const senders = new Map<string, EndpointSender>();
  let onIdle = () => {};

  function startSender({ id, ownerId, url }: ReadyEndpoint & { readonly url: string }): void {
    const found = senders.get(id);
    if (found !== undefined) return found.start();
    if (senders.size >= SENDERS_MAX) return;
    const sender = new EndpointSender(parts, { id, ownerId, url }, signal, () => {
      senders.delete(id);
      if (senders.size === 0) onIdle();
    });
    senders.set(id, sender);
    sender.start();
  }

  const running = run(parts, signal, startSender);
  return {
    /** Interrupts all attempts, which another worker makes again, and resolves when they have ended. */
    async stop(): Promise<void> {
      stopping.abort();
      await running;
      if (senders.size > 0) await new Promise<void>((resolve) => (onIdle = resolve));
    },
  };
}

type Start = (endpoint: ReadyEndpoint & { readonly url: string }) => void;

async function run(parts: DispatcherParts, signal: AbortSignal, start: Start): Promise<void> {
  let isFailing = false;
  const pauses = createPauses(parts);
  while (!signal.aborted) {
    let isBusy = false;
    try {
      isBusy = await dispatch(parts, signal, start, pauses.delay);
      isFailing = false;
    } catch (error) {
      // Once, because a database that is away fails every query.
      if (!isFailing) parts.log.warn({ err: error }, "ready deliveries could not be found");
      isFailing = true;
    }
    await delay(isBusy ? BUSY_INTERVAL_MS : IDLE_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
  }
  await pauses.end();
}

/** Delays deliveries to paused endpoints beside the search, for one page at a time: the events of others don't wait for that. */
function createPauses({ pool }: DispatcherParts) {
  let running: Promise<void> | null = null;
  return {
    /** Does nothing while another page is worked on: a later search finds these endpoints again. */
    delay(found: readonly ReadyEndpoint[]): void {
      const isPaused = found.some((it) => it.pausedUntil !== null);
      // A failure is that of the database, which the search reports.
      if (isPaused)
        running ??= store
          .delayPaused(pool, found)
          .then(undefined, () => undefined)
          .finally(() => (running = null));
    },
    end: async () => await running,
  };
}

/** Goes through all endpoints with ready deliveries once, and returns whether there were some. */
async function dispatch(
  parts: DispatcherParts,
  signal: AbortSignal,
  start: Start,
  delayPaused: (found: readonly ReadyEndpoint[]) => void,
): Promise<boolean> {
  let [after, delaySeconds, isBusy] = [FIRST_ID, 0, await store.promoteDeliveries(parts.pool)];
  for (let isFull = true; isFull && !signal.aborted;) {
    const found = await store.findReadyEndpoints(parts.pool, { after, most: ENDPOINTS_PER_QUERY });
    delayPaused(found);
    for (const endpoint of found) {
      if (endpoint.pausedUntil === null) delaySeconds = Math.max(delaySeconds, endpoint.readySeconds);
      if (hasUrl(endpoint) && endpoint.maySend) start(endpoint);
      else if (endpoint.pausedUntil === null || endpoint.isDisabled) await clear(parts, endpoint);
    }
    isBusy ||= found.length > 0;
    after = found.at(-1)?.id ?? FIRST_ID;
    isFull = found.length === ENDPOINTS_PER_QUERY;
  }
  parts.onWebhookDelay(delaySeconds);
  return isBusy;
}

const hasUrl = (endpoint: ReadyEndpoint): endpoint is ReadyEndpoint & { readonly url: string } => endpoint.url !== null;

/** Ends the deliveries to a disabled endpoint, and removes those to one that was deleted while they were written. */
async function clear({ pool }: DispatcherParts, endpoint: ReadyEndpoint): Promise<void> {
  if (endpoint.isDisabled) await store.endPending(pool, endpoint);
  else await store.removeDeliveries(pool, { id: endpoint.id, batch: BATCH });
}
