import { setTimeout as delay } from "node:timers/promises";
import * as store from "../store.ts";
import type { ReadyEndpoint } from "../store.ts";
import { EndpointSender } from "./endpoint-sender.ts";
import type { DeliveryParts } from "./parts.ts";

/** The polling interval, and so the longest wait for a first attempt, while no delivery is ready. */
const IDLE_INTERVAL_MS = 500;
/** The polling interval after a query that found deliveries. */
const BUSY_INTERVAL_MS = 100;
/** The page size of a search. The next page follows at once. */
const ENDPOINTS_PER_QUERY = 500;
/** Bounds memory, however many endpoints have ready deliveries. */
const SENDERS_MAX = 10_000;
const BATCH = 1_000;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

type DispatcherParts = DeliveryParts & {
  /** Reports the age, in seconds, of the oldest ready delivery to an endpoint that is not paused. */
  readonly onWebhookDelay: (seconds: number) => void;
};

/**
 * Sends ready deliveries. Polls, because on a cluster deliveries are on the node of their user, and the job queue is on another.
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
    /** Interrupts all attempts, which another worker repeats, and resolves when they have ended. */
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
  const pauses = createPauseDelayer(parts);
  while (!signal.aborted) {
    let isBusy = false;
    try {
      isBusy = await dispatch(parts, signal, start, pauses.delay);
      isFailing = false;
    } catch (error) {
      // Logged once, because every query fails during an outage.
      if (!isFailing) parts.log.warn({ err: error }, "ready deliveries could not be found");
      isFailing = true;
    }
    await delay(isBusy ? BUSY_INTERVAL_MS : IDLE_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
  }
  await pauses.end();
}

/** Delays deliveries to paused endpoints concurrently with the search, so that other events don't wait. One page at a time. */
function createPauseDelayer({ pool }: DispatcherParts) {
  let running: Promise<void> | null = null;
  return {
    /** Does nothing while another page is in progress, because a later search finds these endpoints again. */
    delay(found: readonly ReadyEndpoint[]): void {
      const isPaused = found.some((it) => it.pausedUntil !== null);
      // The search reports an outage of the database.
      if (isPaused)
        running ??= store
          .delayPaused(pool, found)
          .then(undefined, () => undefined)
          .finally(() => (running = null));
    },
    end: async () => await running,
  };
}

/** Pages through all endpoints with ready deliveries, and returns whether there were any. */
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

/** Fails the deliveries to a disabled endpoint. Removes deliveries that were written while their endpoint was deleted. */
async function clear({ pool }: DispatcherParts, endpoint: ReadyEndpoint): Promise<void> {
  if (endpoint.isDisabled) await store.failPending(pool, endpoint);
  else await store.removeDeliveries(pool, { id: endpoint.id, batch: BATCH });
}
