import { fromPrisma, PgBoss, type JobWithMetadata } from "pg-boss";
import type { Logger } from "pino";
import { z } from "zod";
import type { Tx } from "../database/client.ts";
import { DEAD_VIDEO, LEFTOVERS, MAINTENANCE, RECONCILIATION, REMOVAL, setUpQueues, VIDEO } from "./queues.ts";

/** After so many starts each one counts: the contract states no larger `attempt` than a hundred. */
const UNCOUNTED_STARTS_MAX = 90;
/** How often dead workers are looked for. */
const SUPERVISE_SECONDS = 2;
/** After a failure on our side that counts. */
const RETRY_SECONDS = { first: 10, later: 60 };
/** While the place is at fault, such as a full disk: soon at first, and then so seldom that hours of it use up no job. */
const POSTPONEMENT_SECONDS = [10, 60, 300];
/** How often jobs are removed that have ended or were never begun. */
const MAINTENANCE_INTERVAL_SECONDS = 3600;
/** How many leftovers one process works on at once, so that a long one does not hold up a short one. */
const LEFTOVERS_AT_ONCE = 2;

/** How much later than now each earlier job of the same owner lets one come: about what the longest take. */
const TURN_SECONDS = 300;
/** Priorities are seconds since then, which fit into their column until 2094. */
const TURNS_SINCE_MS = Date.UTC(2026, 0, 1);

/** What travels with a job; checked where it arrives, as an older version of this code may have sent it. */
const videoJob = z.object({ videoUploadId: z.uuid(), postponements: z.int().default(0) });
type VideoJob = z.output<typeof videoJob>;

/** Work without a bound that a request leaves behind: done in batches, and begun again wherever it was broken off. */
const leftover = z.discriminatedUnion("work", [
  z.object({
    work: z.literal("mark_as_read"),
    userId: z.uuid(),
    seen: z.object({ snapshot: z.string(), until: z.coerce.date() }),
    subjectId: z.string().optional(),
  }),
  z.object({ work: z.literal("remove_conversation"), conversationId: z.uuid() }),
]);
export type Leftover = z.output<typeof leftover>;

/** One attempt at one video. */
export type VideoAttempt = {
  readonly videoUploadId: string;
  /** Which one it is, from 1. */
  readonly attempt: number;
  /** How many there may be, those that do not count among them. */
  readonly attemptsMax: number;
  /** There is none after it, unless it is put back. */
  readonly isLast: boolean;
  /** How often an attempt at this video was put off. */
  readonly postponements: number;
  /** Whether it may end without counting; nothing is put back for ever. */
  readonly mayGoUncounted: boolean;
  /** Aborted when the job is taken away or the worker stops. */
  readonly signal: AbortSignal;
  /** Aborted when the worker stops. */
  readonly stopping: AbortSignal;
};

/** Jobs are made, finished and removed in the transaction of the row they are about. A job's id is its upload's id. */
export type Queue = {
  /** `waitingBefore` is how many of the same owner are on the way: the more, the later, but never behind all who come. */
  enqueueVideo(tx: Tx, videoUploadId: string, waitingBefore: number): Promise<void>;
  completeVideo(tx: Tx, attempt: VideoAttempt): Promise<void>;
  /** Gives the job of an attempt that was stopped to whoever is there, at once and with one attempt more than it had. */
  putBackVideo(tx: Tx, attempt: VideoAttempt): Promise<void>;
  /** Has the job of an attempt tried again that could not be done at this place, after a pause that grows, and with one attempt more than it had. */
  postponeVideo(tx: Tx, attempt: VideoAttempt): Promise<void>;
  /** Has the job of an attempt that failed on our side tried again after a while. */
  retryVideo(tx: Tx, attempt: VideoAttempt, error: unknown): Promise<void>;
  /** Takes the upload's job away, and has everything removed that is stored for it. */
  removeVideo(tx: Tx, videoUploadId: string): Promise<void>;
  leave(tx: Tx, leftover: Leftover): Promise<void>;
};

export type Workers = {
  readonly concurrency: number;
  processVideo(attempt: VideoAttempt): Promise<void>;
  /** Called when every attempt died without running our code to its end. */
  giveUpVideo(videoUploadId: string): Promise<void>;
  /** Removes everything that is stored for an upload that was deleted; called again later when it fails. */
  removeObjects(videoUploadId: string): Promise<void>;
  /** Does what a request has left behind, or throws when it is broken off; called again later then. */
  finish(leftover: Leftover, signal: AbortSignal): Promise<void>;
  /** Every minute: makes uploads agree with their jobs. */
  reconcile(): Promise<void>;
  /** Every hour: removes what has expired. */
  maintain(): Promise<void>;
};

export type Jobs = {
  readonly queue: Queue;
  work(workers: Workers): Promise<void>;
  /** Takes no more videos on and stops those at hand; requests can still make jobs until `close`. */
  stopWork(): void;
  close(): Promise<void>;
};

/**
 * Starts pg-boss in the service's own database. Only a process that works holds the listening connection and looks after
 * the queue; LISTEN makes pick-up immediate, polling is the floor below it.
 */
export async function startJobs(
  databaseUrl: string,
  { isWorker, log }: { readonly isWorker: boolean; readonly log: Logger },
): Promise<Jobs> {
  const boss = new PgBoss({
    connectionString: databaseUrl,
    application_name: "plumbline jobs",
    max: isWorker ? 4 : 2,
    useListenNotify: isWorker,
    supervise: isWorker,
    schedule: isWorker,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    maintenanceIntervalSeconds: MAINTENANCE_INTERVAL_SECONDS,
  });
  boss.on("error", (error) => log.warn({ err: error }, "the job queue reports an error"));
  boss.on("warning", (warning) => log.warn({ warning }, "the job queue warns"));
  const stopping = new AbortController();
  await boss.start();
  await setUpQueues(boss, log);
  const stopWork = (): void => {
    // In this order: a worker that is not stopping would fetch the job that it has just put back.
    for (const name of [VIDEO, LEFTOVERS]) void boss.offWork(name, { wait: false });
    stopping.abort();
  };
  return {
    queue: transactionalQueue(boss),
    stopWork,
    work: (workers) => startWorkers(boss, workers, stopping.signal, log),
    close: async () => {
      stopWork();
      await boss.stop({ graceful: true, timeout: 5_000 });
    },
  };
}

function transactionalQueue(boss: PgBoss): Queue {
  /** There is no one call for it. Each does nothing when the job is no longer this attempt's; the next start counts on from here. */
  const putBack = async (tx: Tx, it: VideoAttempt, { data, ...change }: { data?: VideoJob; startAfter?: number }) => {
    const { videoUploadId, attempt } = it;
    const db = fromPrisma(tx);
    // One start more makes up for this one, which does not count.
    const startsMax = it.mayGoUncounted ? it.attemptsMax + 1 : it.attemptsMax;
    await boss.cancel(VIDEO, { id: videoUploadId, retryCount: attempt - 1 }, { db });
    await boss.resume(VIDEO, videoUploadId, { db });
    await boss.update(VIDEO, data, { id: videoUploadId, ...change, retryLimit: startsMax - 1, db });
  };
  return {
    async enqueueVideo(tx, videoUploadId, waitingBefore) {
      const id = await boss.send(
        VIDEO,
        { videoUploadId },
        { id: videoUploadId, priority: priorityOf(waitingBefore), db: fromPrisma(tx) },
      );
      if (id === null) throw new Error(`There is a job for the upload ${videoUploadId} already.`);
    },
    async completeVideo(tx, { videoUploadId, attempt }) {
      await boss.complete(VIDEO, { id: videoUploadId, retryCount: attempt - 1 }, null, { db: fromPrisma(tx) });
    },
    async putBackVideo(tx, attempt) {
      await putBack(tx, attempt, {});
    },
    async postponeVideo(tx, attempt) {
      const { videoUploadId, postponements } = attempt;
      const startAfter = POSTPONEMENT_SECONDS[Math.min(postponements, POSTPONEMENT_SECONDS.length - 1)]!;
      await putBack(tx, attempt, { startAfter, data: { videoUploadId, postponements: postponements + 1 } });
    },
    async retryVideo(tx, { videoUploadId, attempt }, error) {
      const db = fromPrisma(tx);
      await boss.fail(VIDEO, { id: videoUploadId, retryCount: attempt - 1 }, error instanceof Error ? error : { error }, { db });
      await boss.update(VIDEO, undefined, {
        id: videoUploadId,
        startAfter: attempt === 1 ? RETRY_SECONDS.first : RETRY_SECONDS.later,
        db,
      });
    },
    async removeVideo(tx, videoUploadId) {
      await boss.deleteJob(VIDEO, videoUploadId, { db: fromPrisma(tx) });
      await boss.send(REMOVAL, { videoUploadId }, { db: fromPrisma(tx) });
    },
    async leave(tx, work) {
      await boss.send(LEFTOVERS, work, { db: fromPrisma(tx) });
    },
  };
}

async function startWorkers(boss: PgBoss, workers: Workers, stopping: AbortSignal, log: Logger): Promise<void> {
  const polling = { pollingIntervalSeconds: 1, notifyPollingIntervalSeconds: 2 };
  for (let started = 0; started < workers.concurrency; started++) {
    const options = { ...polling, includeMetadata: true, heartbeatRefreshSeconds: 2 } as const;
    const worker = await boss.work(VIDEO, options, async ([job]: JobWithMetadata<unknown>[]) => {
      if (job === undefined) return;
      const attempt = attemptOf(job, stopping);
      log.debug({ video_upload_id: attempt.videoUploadId, attempt: attempt.attempt }, "video job starts");
      try {
        await workers.processVideo(attempt);
      } finally {
        // Else it would wait for its next poll, however many jobs are waiting.
        boss.notifyWorker(worker);
      }
    });
  }
  await boss.work(DEAD_VIDEO, polling, async ([job]) => {
    if (job !== undefined) await workers.giveUpVideo(videoJob.parse(job.data).videoUploadId);
  });
  await boss.work(REMOVAL, { pollingIntervalSeconds: 2 }, async ([job]) => {
    if (job !== undefined) await workers.removeObjects(videoJob.parse(job.data).videoUploadId);
  });
  for (let started = 0; started < LEFTOVERS_AT_ONCE; started++) {
    const options = { ...polling, heartbeatRefreshSeconds: 2 } as const;
    const worker = await boss.work(LEFTOVERS, options, async ([job]) => {
      if (job === undefined) return;
      await workers.finish(leftover.parse(job.data), AbortSignal.any([job.signal, stopping]));
      boss.notifyWorker(worker);
    });
  }
  await boss.work(MAINTENANCE, { pollingIntervalSeconds: 60 }, () => workers.maintain());
  await boss.schedule(MAINTENANCE, "17 * * * *");
  await boss.work(RECONCILIATION, { pollingIntervalSeconds: 10 }, () => workers.reconcile());
  await boss.schedule(RECONCILIATION, "* * * * *");
}

/**
 * The place in the queue, as the moment at which the job would have come if its owner had waited for each one before it.
 * So many jobs of one user let the others pass, and none is passed for ever: who comes later than that stands behind it.
 */
function priorityOf(waitingBefore: number): number {
  return -(Math.floor((Date.now() - TURNS_SINCE_MS) / 1_000) + waitingBefore * TURN_SECONDS);
}

function attemptOf(job: JobWithMetadata<unknown>, stopping: AbortSignal): VideoAttempt {
  const { videoUploadId, postponements } = videoJob.parse(job.data);
  // pg-boss counts retries, which leave out the first start.
  const [attempt, attemptsMax] = [job.retryCount + 1, job.retryLimit + 1];
  return {
    videoUploadId,
    attempt,
    attemptsMax,
    isLast: attempt >= attemptsMax,
    postponements,
    mayGoUncounted: attempt < UNCOUNTED_STARTS_MAX,
    signal: AbortSignal.any([job.signal, stopping]),
    stopping,
  };
}
