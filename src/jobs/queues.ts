import type { PgBoss } from "pg-boss";
import type { Logger } from "pino";
import { DEFAULT_OPTIONS, type Queue, type QueueOptions } from "./job.ts";

/** A worker without a heartbeat for this long counts as dead. This is the minimum in pg-boss. */
export const HEARTBEAT_SECONDS = 10;
/** The time limit of work that can take hours. */
export const LONG_EXPIRY_SECONDS = 7 * 3600;

/** For work of any size that a request leaves to a job. It runs in batches, and a retry continues after the last batch. */
export const BACKGROUND = {
  name: "leftovers",
  options: {
    retryLimit: 100,
    retryDelay: 1,
    retryBackoff: true,
    retryDelayMax: 300,
    heartbeatSeconds: HEARTBEAT_SECONDS,
    expireInSeconds: LONG_EXPIRY_SECONDS,
    notify: true,
  },
  // Two, so that a long job does not delay a short one.
  concurrency: 2,
} as const;

/** Long, because the sweep of a large object store takes hours. The heartbeat detects a dead worker. */
export const HOURLY = {
  name: "maintenance",
  cron: "17 * * * *",
  pollSeconds: 60,
  options: { heartbeatSeconds: HEARTBEAT_SECONDS, expireInSeconds: LONG_EXPIRY_SECONDS },
} as const;
export const EVERY_MINUTE = { name: "reconciliation", cron: "* * * * *", pollSeconds: 10 } as const;

/** Creates the queues, and updates the options of queues that an earlier version created. */
export async function setUpQueues(boss: PgBoss, queues: readonly Queue<never>[], log: Logger): Promise<void> {
  // A queue can be created only after its dead letter queue.
  const inOrder = [...queues.filter((it) => !it.options?.deadLetter), ...queues.filter((it) => it.options?.deadLetter)];
  for (const { name, options: changes } of inOrder) {
    const options: QueueOptions = { ...DEFAULT_OPTIONS, ...changes };
    const current = await boss.getQueue(name);
    if (current === null) {
      const defined = Object.entries(options).filter(([, value]) => value !== null);
      await boss.createQueue(name, Object.fromEntries(defined));
      continue;
    }
    const names = Object.keys(DEFAULT_OPTIONS) as (keyof QueueOptions)[];
    const differing = names.filter((it) => (current[it] ?? null) !== options[it]);
    if (differing.length === 0) continue;
    // pg-boss accepts null for "none", but its types allow it only for some options.
    await boss.updateQueue(name, options as Parameters<PgBoss["updateQueue"]>[1]);
    log.info({ queue: name, options: differing }, "queue options updated");
  }
}
