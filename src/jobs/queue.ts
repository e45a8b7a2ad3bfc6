import { fromPrisma, PgBoss, type JobWithMetadata } from "pg-boss";
import type { Logger } from "pino";
import { z } from "zod";
import type { Tx } from "../db/client.ts";

const VIDEO = "video-uploads";
const DEAD_VIDEO = "video-uploads-dead";
const REMOVAL = "video-uploads-removal";
const MAINTENANCE = "maintenance";
const RECONCILIATION = "reconciliation";

/** How often a video is tried in all; the contract promises it. Attempts that end because their worker is told to stop do not count. */
export const VIDEO_ATTEMPTS_MAX = 3;
/** So often, they do not count: the contract states no larger `attempt` than a hundred. */
const VIDEO_STARTS_MAX = 90;
/** A worker that has not been heard of for so long is taken for dead. The least that pg-boss allows. */
const HEARTBEAT_SECONDS = 10;
/** How often dead workers are looked for. */
const SUPERVISE_SECONDS = 2;
/** After a failure on our side, such as a full disk: what lasts for a minute must not fail every job there is. */
const RETRY_SECONDS = { first: 10, later: 60 };
const VIDEO_EXPIRES_SECONDS = 7 * 3600;

/** What travels with a job; checked where it arrives, as an older version of this code may have sent it. */
const videoJob = z.object({ videoUploadId: z.uuid() });

/** One attempt at one video. `signal` is aborted when the job is taken away or the worker stops, `stopping` only by the latter. */
export type VideoAttempt = {
  readonly videoUploadId: string; readonly attempt: number; readonly attemptsMax: number; readonly signal: AbortSignal; readonly stopping: AbortSignal;
};

/** Jobs are made, finished and removed in the transaction of the row they are about. A job's id is its upload's id. */
export type Queue = {
  /** `waitingBefore` is how many of the same owner are on the way: the more, the later, so that nobody starves the others. */
  enqueueVideo(tx: Tx, videoUploadId: string, waitingBefore: number): Promise<void>;
  completeVideo(tx: Tx, attempt: VideoAttempt): Promise<void>;
  /** Gives the job of an attempt that was stopped to whoever is there, at once and with one attempt more than it had. */
  putBackVideo(tx: Tx, attempt: VideoAttempt): Promise<void>;
  /** Has the job of an attempt that failed on our side tried again after a while. */
  retryVideo(tx: Tx, attempt: VideoAttempt, error: unknown): Promise<void>;
  /** Whether the upload's job will still run, or runs. */
  isVideoAlive(videoUploadId: string): Promise<boolean>;
  /** Takes the upload's job away, and has everything removed that is stored for it. */
  removeVideo(tx: Tx, videoUploadId: string): Promise<void>;
};

export type Workers = {
  readonly concurrency: number;
  processVideo(attempt: VideoAttempt): Promise<void>;
  /** Called when every attempt died without running our code to its end. */
  giveUpVideo(videoUploadId: string): Promise<void>;
  /** Removes everything that is stored for an upload that was deleted; called again later when it fails. */
  removeObjects(videoUploadId: string): Promise<void>;
  /** Every minute: ends uploads whose jobs are gone. */
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
export async function startJobs(databaseUrl: string, { isWorker, log }: { readonly isWorker: boolean; readonly log: Logger }): Promise<Jobs> {
  const boss = new PgBoss({
    connectionString: databaseUrl, application_name: "plumbline jobs", max: isWorker ? 4 : 2,
    useListenNotify: isWorker, supervise: isWorker, schedule: isWorker,
    superviseIntervalSeconds: SUPERVISE_SECONDS, monitorIntervalSeconds: SUPERVISE_SECONDS,
  });
  boss.on("error", (error) => log.warn({ err: error }, "the job queue reports an error"));
  boss.on("warning", (warning) => log.warn({ warning }, "the job queue warns"));
  const stopping = new AbortController();
  await boss.start();
  await boss.createQueue(DEAD_VIDEO, { retryLimit: 10, retryBackoff: true, notify: true });
  await boss.createQueue(VIDEO, {
    retryLimit: VIDEO_ATTEMPTS_MAX - 1, retryDelay: 1, retryBackoff: true, retryDelayMax: 60, heartbeatSeconds: HEARTBEAT_SECONDS,
    expireInSeconds: VIDEO_EXPIRES_SECONDS, deadLetter: DEAD_VIDEO, notify: true, deleteAfterSeconds: 24 * 3600,
  });
  // For about a day, after which the sweep takes what is left.
  await boss.createQueue(REMOVAL, { retryLimit: 30, retryDelay: 10, retryBackoff: true, retryDelayMax: 3600, expireInSeconds: 600, deleteAfterSeconds: 3600 });
  for (const name of [MAINTENANCE, RECONCILIATION]) await boss.createQueue(name, { retryLimit: 1, deleteAfterSeconds: 3600 });
  const stopWork = (): void => {
    // In this order: a worker that is not stopping would fetch the job that it has just put back.
    void boss.offWork(VIDEO, { wait: false });
    stopping.abort();
  };
  return {
    queue: transactionalQueue(boss), stopWork,
    work: (workers) => startWorkers(boss, workers, stopping.signal, log),
    close: async () => {
      stopWork();
      await boss.stop({ graceful: true, timeout: 5_000 });
    },
  };
}

function transactionalQueue(boss: PgBoss): Queue {
  return {
    async enqueueVideo(tx, videoUploadId, waitingBefore) {
      const id = await boss.send(VIDEO, { videoUploadId }, { id: videoUploadId, priority: -waitingBefore, db: fromPrisma(tx) });
      if (id === null) throw new Error(`There is a job for the upload ${videoUploadId} already.`);
    },
    async completeVideo(tx, { videoUploadId, attempt }) {
      await boss.complete(VIDEO, { id: videoUploadId, retryCount: attempt - 1 }, null, { db: fromPrisma(tx) });
    },
    async putBackVideo(tx, { videoUploadId, attempt, attemptsMax }) {
      const db = fromPrisma(tx);
      // There is no one call for it. Each does nothing when the job is no longer this attempt's; the next start counts on from here.
      await boss.cancel(VIDEO, { id: videoUploadId, retryCount: attempt - 1 }, { db });
      await boss.resume(VIDEO, videoUploadId, { db });
      await boss.update(VIDEO, undefined, { id: videoUploadId, retryLimit: attempt < VIDEO_STARTS_MAX ? attemptsMax : attemptsMax - 1, db });
    },
    async retryVideo(tx, { videoUploadId, attempt }, error) {
      const db = fromPrisma(tx);
      await boss.fail(VIDEO, { id: videoUploadId, retryCount: attempt - 1 }, error instanceof Error ? error : { error }, { db });
      await boss.update(VIDEO, undefined, { id: videoUploadId, startAfter: attempt === 1 ? RETRY_SECONDS.first : RETRY_SECONDS.later, db });
    },
    async isVideoAlive(videoUploadId) {
      const [job] = await boss.findJobs(VIDEO, { id: videoUploadId });
      return job !== undefined && ["created", "retry", "active"].includes(job.state);
    },
    async removeVideo(tx, videoUploadId) {
      await boss.deleteJob(VIDEO, videoUploadId, { db: fromPrisma(tx) });
      await boss.send(REMOVAL, { videoUploadId }, { db: fromPrisma(tx) });
    },
  };
}

async function startWorkers(boss: PgBoss, workers: Workers, stopping: AbortSignal, log: Logger): Promise<void> {
  const polling = { pollingIntervalSeconds: 1, notifyPollingIntervalSeconds: 2 };
  for (let started = 0; started < workers.concurrency; started++) {
    const worker = await boss.work(VIDEO, { ...polling, includeMetadata: true, heartbeatRefreshSeconds: 2 }, async ([job]: JobWithMetadata<unknown>[]) => {
      if (job === undefined) return;
      const { videoUploadId } = videoJob.parse(job.data);
      const attempt = job.retryCount + 1;
      log.debug({ video_upload_id: videoUploadId, attempt }, "video job starts");
      try {
        await workers.processVideo({ videoUploadId, attempt, attemptsMax: job.retryLimit + 1, signal: AbortSignal.any([job.signal, stopping]), stopping });
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
  await boss.work(MAINTENANCE, { pollingIntervalSeconds: 60 }, () => workers.maintain());
  await boss.schedule(MAINTENANCE, "17 * * * *");
  await boss.work(RECONCILIATION, { pollingIntervalSeconds: 10 }, () => workers.reconcile());
  await boss.schedule(RECONCILIATION, "* * * * *");
}
