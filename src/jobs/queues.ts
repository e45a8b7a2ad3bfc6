import type { PgBoss } from "pg-boss";
import type { Logger } from "pino";
import { DEFAULT_OPTIONS, type Queue, type QueueOptions } from "./job.ts";

/** A worker that has sent no heartbeat for so long is taken for dead. The least that pg-boss allows. */
export const HEARTBEAT_SECONDS = 10;
/** For work that may take hours. */
export const LONG_EXPIRY_SECONDS = 7 * 3600;

/** For work without a bound that a request leaves behind: done in batches, each of which may be the last for now. */
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
  // So that a long job does not hold up a short one.
  concurrency: 2,
} as const;

export const HOURLY = { name: "maintenance", cron: "17 * * * *", pollSeconds: 60 } as const;
export const EVERY_MINUTE = { name: "reconciliation", cron: "* * * * *", pollSeconds: 10 } as const;

/** Makes the queues, and gives those that an earlier version has made the options of this one. */
export async function setUpQueues(boss: PgBoss, queues: readonly Queue<never>[], log: Logger): Promise<void> {
  // A queue can only be made after the one that takes its dead letters.
  const inOrder = [...queues.filter((it) => !it.options?.deadLetter), ...queues.filter((it) => it.options?.deadLetter)];
  for (const { name, options: changes } of inOrder) {
    const options: QueueOptions = { ...DEFAULT_OPTIONS, ...changes };
    const present = await boss.getQueue(name);
    if (present === null) {
      const given = Object.entries(options).filter(([, value]) => value !== null);
      await boss.createQueue(name, Object.fromEntries(given));
      continue;
    }
    const names = Object.keys(DEFAULT_OPTIONS) as (keyof QueueOptions)[];
    const differing = names.filter((it) => (present[it] ?? null) !== options[it]);
    if (differing.length === 0) continue;
    // It takes null for "none", which its types do not know of every option.
    await boss.updateQueue(name, options as Parameters<PgBoss["updateQueue"]>[1]);
    log.info({ queue: name, options: differing }, "a queue has the options of this version now");
  }
}
