import type { PgBoss, Queue as Options } from "pg-boss";
import type { Logger } from "pino";

export const VIDEO = "video-uploads";
export const DEAD_VIDEO = "video-uploads-dead";
export const REMOVAL = "video-uploads-removal";
export const LEFTOVERS = "leftovers";
export const MAINTENANCE = "maintenance";
export const RECONCILIATION = "reconciliation";

/** How often a video is tried in all; the contract promises it. Attempts that end through no fault of the job do not count. */
export const VIDEO_ATTEMPTS_MAX = 3;
/** A worker that has not been heard of for so long is taken for dead. The least that pg-boss allows. */
const HEARTBEAT_SECONDS = 10;
const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;
const WORK_EXPIRES_SECONDS = 7 * HOUR_SECONDS;

/**
 * What holds for a queue that says nothing else. Two of these bound the table of jobs: one that has ended is removed after
 * `deleteAfterSeconds`, one that nobody has begun after `retentionSeconds`.
 */
const DEFAULTS = {
  retryLimit: 1,
  retryDelay: 0,
  retryBackoff: false,
  retryDelayMax: null,
  expireInSeconds: HOUR_SECONDS,
  retentionSeconds: 14 * DAY_SECONDS,
  deleteAfterSeconds: HOUR_SECONDS,
  heartbeatSeconds: null,
  deadLetter: null,
  notify: false,
} as const;

type QueueOptions = { readonly [K in keyof typeof DEFAULTS]: NonNullable<Options[K]> | null };

/** A queue stands behind its dead letters. */
const QUEUES: readonly (readonly [name: string, options: Partial<QueueOptions>])[] = [
  [DEAD_VIDEO, { retryLimit: 10, retryBackoff: true, notify: true, deleteAfterSeconds: DAY_SECONDS }],
  [
    VIDEO,
    {
      retryLimit: VIDEO_ATTEMPTS_MAX - 1,
      retryDelay: 1,
      retryBackoff: true,
      retryDelayMax: 60,
      heartbeatSeconds: HEARTBEAT_SECONDS,
      expireInSeconds: WORK_EXPIRES_SECONDS,
      deadLetter: DEAD_VIDEO,
      notify: true,
      deleteAfterSeconds: DAY_SECONDS,
    },
  ],
  // For about a day, after which the sweep takes what is left.
  [REMOVAL, { retryLimit: 30, retryDelay: 10, retryBackoff: true, retryDelayMax: HOUR_SECONDS, expireInSeconds: 600 }],
  [
    LEFTOVERS,
    {
      retryLimit: 100,
      retryDelay: 1,
      retryBackoff: true,
      retryDelayMax: 300,
      heartbeatSeconds: HEARTBEAT_SECONDS,
      expireInSeconds: WORK_EXPIRES_SECONDS,
      notify: true,
    },
  ],
  [MAINTENANCE, {}],
  [RECONCILIATION, {}],
];

/** Makes the queues, and gives those that an earlier version has made the options of this one. */
export async function setUpQueues(boss: PgBoss, log: Logger): Promise<void> {
  for (const [name, changes] of QUEUES) {
    const options: QueueOptions = { ...DEFAULTS, ...changes };
    const present = await boss.getQueue(name);
    if (present === null) {
      const given = Object.entries(options).filter(([, value]) => value !== null);
      await boss.createQueue(name, Object.fromEntries(given));
      continue;
    }
    const names = Object.keys(DEFAULTS) as (keyof QueueOptions)[];
    const differing = names.filter((it) => (present[it] ?? null) !== options[it]);
    if (differing.length === 0) continue;
    // It takes null for "none", which its types do not know of every option.
    await boss.updateQueue(name, options as Parameters<PgBoss["updateQueue"]>[1]);
    log.info({ queue: name, options: differing }, "a queue has the options of this version now");
  }
}
