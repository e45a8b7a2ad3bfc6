import { fromPrisma, PgBoss } from "pg-boss";
import type { Logger } from "pino";
import type { Tx } from "../database/client.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { AnyJob, DeclaredJob, QueuePosition, Queue } from "./job.ts";
import { priorityOf } from "./priority.ts";
import { setUpQueues } from "./queues.ts";
import { countAttemptsBefore } from "./store.ts";
import { createWorkers, TRACEPARENT } from "./workers.ts";

/** How often pg-boss checks for dead workers. */
const SUPERVISE_SECONDS = 2;
/** How often pg-boss deletes old jobs that have ended or were never started. */
const MAINTENANCE_SECONDS = 3600;

/** Enqueues and removes jobs in the transaction that changes their row. */
export type JobQueue = ReturnType<typeof jobQueue>;
type EnqueueOptions = {
  readonly id?: string;
  readonly position?: QueuePosition;
  readonly attemptsBefore?: number;
};

export type JobOptions = {
  readonly isWorker: boolean;
  readonly log: Logger;
  readonly telemetry?: Telemetry | null;
};

export type Jobs = Awaited<ReturnType<typeof startJobs>>;

/**
 * Starts pg-boss with these queues. Only a worker supervises them and listens for notifications, which start jobs at once; polling finds
 * jobs whose notification was lost.
 */
export async function startJobs(
  databaseUrl: string,
  queues: readonly Queue<never>[],
  { isWorker, log, telemetry = null }: JobOptions,
) {
  const boss = new PgBoss({
    connectionString: databaseUrl,
    application_name: "plumbline jobs",
    max: isWorker ? 4 : 2,
    useListenNotify: isWorker,
    supervise: isWorker,
    schedule: isWorker,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    maintenanceIntervalSeconds: MAINTENANCE_SECONDS,
  });
  boss.on("error", (error) => log.warn({ err: error }, "the job queue reports an error"));
  boss.on("warning", (warning) => log.warn({ warning }, "the job queue warns"));
  const workers = createWorkers(boss, queues, log, telemetry);
  await boss.start();
  await setUpQueues(boss, queues, log);
  return {
    queue: jobQueue(boss, telemetry),
    /** Starts a failed job again, for one more attempt. No effect without a failed job with this id. */
    retry: (queueName: string, id: string): Promise<unknown> => boss.retry(queueName, id),
    /** Removes a job. */
    discard: (queueName: string, id: string): Promise<unknown> => boss.deleteJob(queueName, id),
    /** Starts no more jobs and stops the running ones. Requests can still enqueue jobs until `close`. */
    stopWork: workers.stop,
    /** Starts the workers of the queues of these jobs, and their schedules. */
    work: workers.start,
    async close(): Promise<void> {
      workers.stop();
      await boss.stop({ graceful: true, timeout: 5_000 });
    },
  };
}

function jobQueue(boss: PgBoss, telemetry: Telemetry | null) {
  return {
    /**
     * Either all jobs of a queue have a `position` or none, because it sets their priority. `attemptsBefore` continues the count of an
     * earlier job, so that each attempt has its own number.
     */
    async enqueue<Payload>(tx: Tx, job: DeclaredJob<Payload>, payload: Payload, options: EnqueueOptions = {}): Promise<void> {
      const { queue, name } = job;
      const { id, position, attemptsBefore = 0 } = options;
      const traceparent = telemetry?.traceparent();
      const data = {
        ...(queue.name === name ? {} : { work: name }),
        ...payload,
        ...(traceparent === undefined ? {} : { [TRACEPARENT]: traceparent }),
      };
      const priority = position === undefined ? {} : { priority: priorityOf(position) };
      const sent = await boss.send(queue.name, data, {
        ...(id === undefined ? {} : { id }),
        ...priority,
        db: fromPrisma(tx),
      });
      if (sent === null) throw new Error(`The job ${id} of ${queue.name} exists already.`);
      if (attemptsBefore > 0) await countAttemptsBefore(tx, { id: sent, attempts: attemptsBefore });
    },
    /** Removes an unfinished job. */
    remove: (tx: Tx, { queue }: Pick<AnyJob<never>, "queue">, id: string): Promise<unknown> =>
      boss.deleteJob(queue.name, id, { db: fromPrisma(tx) }),
  };
}
