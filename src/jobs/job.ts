import type { Queue as BossQueue } from "pg-boss";
import type { z } from "zod";
import type { Tx } from "../database/client.ts";

/**
 * The defaults of a queue. Two of them bound the size of the job table: pg-boss deletes a job `deleteAfterSeconds` after it
 * ends, or after `retentionSeconds` if it was never started.
 */
export const DEFAULT_OPTIONS = {
  retryLimit: 1,
  retryDelay: 0,
  retryBackoff: false,
  retryDelayMax: null,
  expireInSeconds: 3600,
  retentionSeconds: 14 * 24 * 3600,
  deleteAfterSeconds: 3600,
  heartbeatSeconds: null,
  deadLetter: null,
  notify: false,
} as const;

/** The options of a queue, with the names that pg-boss uses. */
export type QueueOptions = { readonly [K in keyof typeof DEFAULT_OPTIONS]: NonNullable<BossQueue[K]> | null };

/** A queue in the database. `Env` has the dependencies of its jobs: connections, stores, settings. */
export type Queue<Env> = {
  /** The name in the database. Don't change it, because jobs of earlier versions wait under it. */
  readonly name: string;
  readonly options?: Partial<QueueOptions>;
  /** Allows one job that waits or runs for each `onceFor`. It can't change later. */
  readonly isExclusive?: boolean;
  /** How many jobs of the queue, or of each of its lanes, one process runs at a time; one by default. */
  readonly concurrency?: number | ((env: Env) => number);
  /** How many lanes the queue has; one by default. Each has workers of its own, so no job waits for one of another lane. */
  readonly lanes?: number;
  /** The polling interval: by default a second, or two with notifications, which wake a worker at once unless one is lost. */
  readonly pollSeconds?: number;
  /** When pg-boss creates a job in the queue. That job runs all jobs declared for the queue, one after the other. */
  readonly cron?: string;
};

/**
 * Where a job waits: in its lane, behind the jobs enqueued up to `behindSeconds` later. Others can overtake it, but not
 * forever.
 */
export type Place = { readonly lane: number; readonly behindSeconds: number };

/** One attempt at a job. It is completed if the work returns and retried if it throws, or ends by one of the methods. */
export type Execution = {
  readonly id: string;
  /** The number of this attempt, from 1. */
  readonly attempt: number;
  readonly attemptsMax: number;
  /** The lane of the queue in which the job runs, from 0. */
  readonly lane: number;
  /** Aborted when this attempt loses the job (deleted, expired or taken by a later attempt) or the process stops. */
  readonly signal: AbortSignal;
  /** Aborted when the process stops. */
  readonly stopping: AbortSignal;

  // Each method takes effect with the transaction, and does nothing if a later attempt has begun.

  /** Ends the job. */
  complete(tx: Tx): Promise<void>;
  /**
   * Puts the job back to start again, at once or after `startAfter` seconds, and with a new `place` if one is given. An
   * `uncounted` attempt allows one more.
   */
  putBack(
    tx: Tx,
    change: { readonly uncounted: boolean; readonly startAfter?: number; readonly payload?: object; readonly place?: Place },
  ): Promise<void>;
  /** Fails this attempt. The next one, if one is left, begins after `startAfter` seconds. */
  retry(tx: Tx, error: unknown, startAfter: number): Promise<void>;
};

/** A job with any payload. */
export type AnyJob<Env> = {
  readonly name: string;
  readonly queue: Queue<Env>;
  /** Parses the payload, because an earlier version may have enqueued it, and does the work. */
  readonly perform: (env: Env, data: unknown, execution: Execution) => Promise<unknown>;
};

/** A job as those who enqueue it know it. */
export type DeclaredJob<Payload, Env = never> = Pick<AnyJob<Env>, "name" | "queue"> & { readonly payload: z.ZodType<Payload> };

/** A job with its payload schema and its work. */
export type Job<Payload, Env> = DeclaredJob<Payload, Env> & AnyJob<Env>;

type Declaration<Payload, Env> = Omit<Queue<Env>, "cron"> & {
  readonly payload: z.ZodType<Payload>;
  /** A queue that the job shares with others. By default, the job has a queue with the same name. */
  readonly queue?: Queue<Env>;
};
type Work<Payload, Env> = (env: Env, payload: Payload, execution: Execution) => Promise<unknown>;

/** Declares a job: its name, payload schema and retries. */
export const declareJob = <Payload, Env>({ payload, queue, ...own }: Declaration<Payload, Env>): DeclaredJob<Payload, Env> => ({
  name: own.name,
  queue: queue ?? own,
  payload,
});

/** Gives a declared job its work, in a file that only a worker loads. */
export function withWork<Payload, QueueEnv, Env>(
  declared: DeclaredJob<Payload, QueueEnv>,
  work: Work<Payload, Env>,
): Job<Payload, QueueEnv & Env> {
  return { ...declared, perform: (env, data, execution) => work(env, declared.payload.parse(data), execution) };
}

/** Declares a job together with its work. */
export function job<Payload, Env>({ work, ...declaration }: Declaration<Payload, Env> & { work: Work<Payload, Env> }) {
  return withWork(declareJob(declaration), work);
}

/** Declares work for each run of a queue with `cron`. If it returns a number, the log shows it as removed items. */
export function scheduled<Env>(
  queue: Queue<unknown>,
  name: string,
  work: (env: Env, signal: AbortSignal) => Promise<unknown>,
): AnyJob<Env> {
  return { name, queue, perform: (env, _data, { signal }) => work(env, signal) };
}
