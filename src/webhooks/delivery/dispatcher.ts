import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import type { Connections } from "../../database/client.ts";
import type { JobQueue } from "../../jobs/jobs.ts";
import { SLOW_LANE, takeTurn } from "../jobs.ts";
import * as store from "../store.ts";

/** How long an event waits for its first attempt at most, if nothing else is to be done. */
const INTERVAL_MS = 500;
/** How many endpoints with waiting events one look goes through. The next one goes on behind them. */
const ENDPOINTS_PER_LOOK = 500;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

type DispatcherParts = Connections & {
  readonly queue: JobQueue;
  readonly log: Logger;
  /** Is told for how long the oldest event has been due, whose endpoint isn't paused. */
  readonly onWebhookDelay: (seconds: number) => void;
};

/**
 * Looks for endpoints with events that are due, and enqueues a turn for each. Events are written where their users are, which can be
 * on another node than the job queue, so no transaction of an event can enqueue the turn.
 */
export function startDispatcher(parts: DispatcherParts) {
  const stopping = new AbortController();
  const running = run(parts, stopping.signal);
  return {
    async stop(): Promise<void> {
      stopping.abort();
      await running;
    },
  };
}

async function run(parts: DispatcherParts, signal: AbortSignal): Promise<void> {
  let [after, isFailing] = [FIRST_ID, false];
  while (!signal.aborted) {
    try {
      after = await look(parts, after);
      isFailing = false;
    } catch (error) {
      // Once, because a database that is away fails every look.
      if (!isFailing) parts.log.warn({ err: error }, "events that are due could not be found");
      isFailing = true;
    }
    await delay(INTERVAL_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Enqueues the turns of some endpoints, and returns where the next look begins. */
async function look({ db, pool, queue, onWebhookDelay }: DispatcherParts, after: string): Promise<string> {
  const found = await store.findDueEndpoints(pool, { after, most: ENDPOINTS_PER_LOOK });
  onWebhookDelay(Math.max(0, ...found.map((it) => it.dueSeconds ?? 0)));
  for (const { id, ownerId, isSlow, dueSeconds } of found) {
    if (dueSeconds === null || ownerId === null) continue;
    const place = { lane: isSlow ? SLOW_LANE : 0, behindSeconds: 0 };
    await queue.enqueue(db, takeTurn, { endpointId: id }, { onceFor: id, place });
  }
  return found.length < ENDPOINTS_PER_LOOK ? FIRST_ID : found.at(-1)!.id;
}
