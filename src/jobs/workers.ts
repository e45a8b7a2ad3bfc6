import { fromPrisma, type JobWithMetadata, type PgBoss } from "pg-boss";
import type { Logger } from "pino";
import { reasonOf } from "../database/database-failure.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { AnyJob, Execution, Queue } from "./job.ts";
import { laneRange, priorityOf } from "./priority.ts";

/** The polling interval of a queue with notifications. */
const NOTIFY_POLL_SECONDS = 2;
const HEARTBEAT_REFRESH_SECONDS = 2;

/** The field for the span of the request in the data of a job. It is not in the payload schema, so the job doesn't get it. */
export const TRACEPARENT = "traceparent";

/** The workers of queues. */
export function createWorkers(boss: PgBoss, queues: readonly Queue<never>[], log: Logger, telemetry: Telemetry | null) {
  const stopping = new AbortController();
  return {
    async start<Env>(jobs: readonly AnyJob<Env>[], env: Env): Promise<void> {
      for (const queue of new Set(jobs.map((it) => it.queue))) {
        const workers = typeof queue.concurrency === "function" ? queue.concurrency(env) : (queue.concurrency ?? 1);
        for (let lane = 0; lane < (queue.lanes ?? 1); lane++)
          for (let started = 0; started < workers; started++) await workOn(queue, jobs, lane, env);
        if (queue.cron !== undefined) await boss.schedule(queue.name, queue.cron);
      }
    },
    stop(): void {
      // Workers stop first, so that none fetches a job that it has just requeued.
      for (const { name } of queues) void boss.offWork(name, { wait: false });
      stopping.abort();
    },
  };

  function perform<Env>(job: AnyJob<Env>, env: Env, data: unknown, execution: Execution): Promise<unknown> {
    const work = () => job.perform(env, data, execution);
    if (telemetry === null) return work();
    const { id, attempt } = execution;
    return telemetry.runJob({ queue: job.queue.name, name: job.name, id, attempt }, traceOf(data)[TRACEPARENT], work);
  }

  /** Starts another worker of a lane of a queue. It runs one job at a time. */
  async function workOn<Env>(queue: Queue<Env>, all: readonly AnyJob<Env>[], lane: number, env: Env): Promise<void> {
    const jobs = all.filter((it) => it.queue === queue);
    const options = {
      includeMetadata: true,
      ...laneRange(lane, queue.lanes ?? 1),
      pollingIntervalSeconds: queue.pollSeconds ?? 1,
      ...(queue.options?.notify ? { notifyPollingIntervalSeconds: queue.pollSeconds ?? NOTIFY_POLL_SECONDS } : {}),
      ...(queue.options?.heartbeatSeconds ? { heartbeatRefreshSeconds: HEARTBEAT_REFRESH_SECONDS } : {}),
    } as const;
    const worker = await boss.work(queue.name, options, async ([it]: JobWithMetadata<unknown>[]) => {
      if (it === undefined) return;
      const execution = executionOf(boss, it, lane, stopping.signal);
      log.debug({ queue: queue.name, job: it.id, attempt: execution.attempt }, "a job starts");
      try {
        if (queue.cron === undefined) await perform(jobOf(jobs, queue, it.data), env, it.data, execution);
        else await performAll(jobs, (job) => perform(job, env, null, execution), execution.signal, log);
      } finally {
        // Otherwise the worker sleeps until its next poll, even if more jobs wait.
        if (queue.options?.notify) boss.notifyWorker(worker);
      }
    });
  }
}

/** Runs every job, even after a failure, and then throws an error with the names of the failed jobs. */
async function performAll<Env>(
  jobs: readonly AnyJob<Env>[],
  perform: (job: AnyJob<Env>) => Promise<unknown>,
  signal: AbortSignal,
  log: Logger,
): Promise<void> {
  const failures: { readonly name: string; readonly error: unknown }[] = [];
  for (const job of jobs) {
    signal.throwIfAborted();
    try {
      const removed = await perform(job);
      if (typeof removed === "number" && removed > 0) log.info({ job: job.name, removed }, "removed expired items");
    } catch (error) {
      log.warn({ job: job.name, err: error }, "a scheduled job has failed");
      failures.push({ name: job.name, error });
    }
  }
  if (failures.length === 0) return;
  const reasons = failures.map(({ name, error }) => `${name}: ${reasonOf(error)}`).join("; ");
  const errors = failures.map(({ error }) => error);
  throw new AggregateError(errors, `${errors.length} of ${jobs.length} scheduled jobs have failed (${reasons})`);
}

/** The job that `data` names; by default, the job with the name of the queue. */
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
    async putBack(tx, { uncounted, payload, position, ...change }) {
      // pg-boss has no single call for this. No call has an effect if a later attempt runs. The retry count continues.
      const db = fromPrisma(tx);
      await boss.cancel(name, fence, { db });
      await boss.resume(name, id, { db });
      await boss.update(name, payload && { ...payload, ...traceOf(job.data) }, {
        id,
        ...change,
        ...(position && { priority: priorityOf(position) }),
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
