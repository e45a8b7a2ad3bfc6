import { fromPrisma, PgBoss, type JobWithMetadata } from "pg-boss";
import type { Logger } from "pino";
import type { Tx } from "../database/client.ts";
import { reasonOf } from "../database/database-failure.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { AnyJob, Execution, Job, Place, Queue } from "./job.ts";
import { laneRange, priorityOf } from "./priority.ts";
import { setUpQueues } from "./queues.ts";
import { countAttemptsBefore } from "./store.ts";

/** How often pg-boss looks for dead workers. */
const SUPERVISE_SECONDS = 2;
/** How often pg-boss deletes old jobs that have ended or were never started. */
const MAINTENANCE_SECONDS = 3600;
/** The polling interval of a queue with notifications. */
const NOTIFY_POLL_SECONDS = 2;
const HEARTBEAT_REFRESH_SECONDS = 2;

/** The field in the data of a job that names the span of the request. Its schema doesn't know it, so the job doesn't see it. */
const TRACEPARENT = "traceparent";

/** Enqueues and removes jobs in the transaction that changes the row that they process. */
export type JobQueue = ReturnType<typeof jobQueue>;
type EnqueueOptions = { readonly id?: string; readonly place?: Place; readonly attemptsBefore?: number };

export type JobOptions = {
  readonly isWorker: boolean;
  readonly log: Logger;
  readonly telemetry?: Telemetry | null;
};

export type Jobs<Env> = Awaited<ReturnType<typeof startJobs<Env>>>;

/**
 * Starts pg-boss in the database of the service. Only a worker holds the connection for LISTEN and supervises the queues.
 * LISTEN makes pick-up immediate; polling finds jobs whose notification was lost.
 */
export async function startJobs<Env>(
  databaseUrl: string,
  declared: readonly AnyJob<Env>[],
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
  const stopping = new AbortController();
  const queues = [...new Set(declared.map(({ queue }) => queue))];
  await boss.start();
  await setUpQueues(boss, queues, log);
  /** Starts no more jobs and stops the running ones. Requests can still enqueue jobs until `close`. */
  const stopWork = (): void => {
    // Workers stop first, or a worker would fetch the job that it has just put back.
    for (const { name } of queues) void boss.offWork(name, { wait: false });
    stopping.abort();
  };
  return {
    queue: jobQueue(boss, telemetry),
    /** Starts a failed job again, for one more attempt. Does nothing if there is no failed job with this id. */
    async retry(queueName: string, id: string): Promise<void> {
      await boss.retry(queueName, id);
    },
    /** Removes a job. */
    async discard(queueName: string, id: string): Promise<void> {
      await boss.deleteJob(queueName, id);
    },
    stopWork,
    /** Starts the workers of all queues and their schedules. */
    async work(env: Env): Promise<void> {
      for (const queue of queues) {
        const workers = typeof queue.concurrency === "function" ? queue.concurrency(env) : (queue.concurrency ?? 1);
        for (let lane = 0; lane < (queue.lanes ?? 1); lane++)
          for (let started = 0; started < workers; started++) await workOn(queue, lane, env);
        if (queue.cron !== undefined) await boss.schedule(queue.name, queue.cron);
      }
    },
    async close(): Promise<void> {
      stopWork();
      await boss.stop({ graceful: true, timeout: 5_000 });
    },
  };

  /** Starts one more worker of a lane of a queue. It runs one job at a time. */
  async function workOn(queue: Queue<Env>, lane: number, env: Env): Promise<void> {
    const jobs = declared.filter((it) => it.queue === queue);
    const worker = await boss.work(queue.name, workOptions(queue, lane), async ([it]: JobWithMetadata<unknown>[]) => {
      if (it === undefined) return;
      const execution = executionOf(boss, it, lane, stopping.signal);
      log.debug({ queue: queue.name, job: it.id, attempt: execution.attempt }, "a job starts");
      try {
        if (queue.cron === undefined) await perform(jobOf(jobs, queue, it.data), env, it.data, execution);
        else await performAll(jobs, env, execution);
      } finally {
        // Otherwise the worker waits for its next poll, even if more jobs wait.
        if (queue.options?.notify) boss.notifyWorker(worker);
      }
    });
  }

  function perform(job: AnyJob<Env>, env: Env, data: unknown, execution: Execution): Promise<unknown> {
    const work = () => job.perform(env, data, execution);
    if (telemetry === null) return work();
    const { id, attempt } = execution;
    const traced = { queue: job.queue.name, name: job.name, id, attempt };
    return telemetry.runJob(traced, traceOf(data)[TRACEPARENT], work);
  }

  /** Runs every job, also after one that has failed, and then throws an error that names those that have failed. */
  async function performAll(jobs: readonly AnyJob<Env>[], env: Env, execution: Execution): Promise<void> {
    const failures: { readonly name: string; readonly error: unknown }[] = [];
    for (const job of jobs) {
      execution.signal.throwIfAborted();
      try {
        const removed = await perform(job, env, null, execution);
        if (typeof removed === "number" && removed > 0) log.info({ job: job.name, removed }, "removed expired items");
      } catch (error) {
        log.warn({ job: job.name, err: error }, "a scheduled job has failed");
        failures.push({ name: job.name, error });
      }
    }
    if (failures.length === 0) return;
    const reasons = failures.map(({ name, error }) => `${name}: ${reasonOf(error)}`).join("; ");
    throw new AggregateError(
      failures.map(({ error }) => error),
      `${failures.length} of ${jobs.length} scheduled jobs have failed (${reasons})`,
    );
  }
}

function jobQueue(boss: PgBoss, telemetry: Telemetry | null) {
  return {
    /**
     * Give all jobs of a queue a `place` or none, because it sets their priority. `attemptsBefore` continues the count of the
     * attempts of an earlier job, so that each attempt has its own number.
     */
    async enqueue<Payload>(tx: Tx, job: Job<Payload, never>, payload: Payload, options: EnqueueOptions = {}): Promise<void> {
      const { queue, name } = job;
      const { id, place, attemptsBefore = 0 } = options;
      const traceparent = telemetry?.traceparent();
      const data = {
        ...(queue.name === name ? {} : { work: name }),
        ...payload,
        ...(traceparent === undefined ? {} : { [TRACEPARENT]: traceparent }),
      };
      const priority = place === undefined ? {} : { priority: priorityOf(place) };
      const sent = await boss.send(queue.name, data, { ...(id === undefined ? {} : { id }), ...priority, db: fromPrisma(tx) });
      if (sent === null) throw new Error(`The job ${id} of ${queue.name} exists already.`);
      if (attemptsBefore > 0) await countAttemptsBefore(tx, { id: sent, attempts: attemptsBefore });
    },
    /** Removes a job that waits or runs. */
    async remove(tx: Tx, { queue }: AnyJob<never>, id: string): Promise<void> {
      await boss.deleteJob(queue.name, id, { db: fromPrisma(tx) });
    },
  };
}

/** The pg-boss options of a worker, from the options of its queue. */
function workOptions({ options = {}, pollSeconds = 1, lanes = 1 }: Queue<never>, lane: number) {
  return {
    includeMetadata: true,
    ...laneRange(lane, lanes),
    pollingIntervalSeconds: pollSeconds,
    ...(options.notify ? { notifyPollingIntervalSeconds: NOTIFY_POLL_SECONDS } : {}),
    ...(options.heartbeatSeconds ? { heartbeatRefreshSeconds: HEARTBEAT_REFRESH_SECONDS } : {}),
  } as const;
}

/** The job of a queue that the data name; by default, the job with the name of the queue. */
function jobOf<Env>(jobs: readonly AnyJob<Env>[], { name }: Queue<Env>, data: unknown): AnyJob<Env> {
  const { work = name } = (data ?? {}) as { readonly work?: string };
  const job = jobs.find((it) => it.name === work);
  if (job === undefined) throw new Error(`The queue ${name} has no job ${work}.`);
  return job;
}

function traceOf(data: unknown): { readonly [TRACEPARENT]?: unknown } {
  const { [TRACEPARENT]: traceparent } = (data ?? {}) as Readonly<Record<string, unknown>>;
  return traceparent === undefined ? {} : { [TRACEPARENT]: traceparent };
}

function executionOf(boss: PgBoss, job: JobWithMetadata<unknown>, lane: number, stopping: AbortSignal): Execution {
  const { id, name, retryCount } = job;
  // pg-boss counts retries, and the first attempt is not a retry.
  const [attempt, attemptsMax] = [retryCount + 1, job.retryLimit + 1];
  const fence = { id, retryCount };
  return {
    id,
    attempt,
    attemptsMax,
    lane,
    signal: AbortSignal.any([job.signal, stopping]),
    stopping,
    async complete(tx) {
      await boss.complete(name, fence, null, { db: fromPrisma(tx) });
    },
    async putBack(tx, { uncounted, payload, place, ...change }) {
      // pg-boss has no single call for this. Each call does nothing if a later attempt runs. The retry count continues from here.
      const db = fromPrisma(tx);
      await boss.cancel(name, fence, { db });
      await boss.resume(name, id, { db });
      await boss.update(name, payload && { ...payload, ...traceOf(job.data) }, {
        id,
        ...change,
        ...(place && { priority: priorityOf(place) }),
        retryLimit: uncounted ? attemptsMax : attemptsMax - 1,
        db,
      });
    },
    async retry(tx, error, startAfter) {
      const db = fromPrisma(tx);
      await boss.fail(name, fence, error instanceof Error ? error : { error }, { db });
      await boss.update(name, undefined, { id, startAfter, db });
    },
  };
}
