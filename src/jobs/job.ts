import type { Queue as BossQueue } from "pg-boss";
import type { z } from "zod";
import type { Tx } from "../database/client.ts";

/**
 * The defaults of a queue. pg-boss deletes a job `deleteAfterSeconds` after its end, or after `retentionSeconds` if it never started, which
 * bounds the job table.
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
  /** The name in the database. Don't change it, because jobs of earlier versions wait in the queue. */
  readonly name: string;
  readonly options?: Partial<QueueOptions>;
  /** How many jobs of the queue, or of each lane, one process runs at a time; one by default. */
  readonly concurrency?: number | ((env: Env) => number);
  /** How many lanes the queue has; one by default. Each has its own workers, so no job waits for another lane. */
  readonly lanes?: number;
  /** The polling interval: by default 1 s, or 2 s with notifications, which can be lost. */
  readonly pollSeconds?: number;
  /** The schedule of the queue. Each run executes all jobs that are declared for it, one after the other. */
  readonly cron?: string;
};

/** The position of a job in its queue: in a lane, behind jobs that are enqueued up to `behindSeconds` later. */
export type QueuePosition = { readonly lane: number; readonly behindSeconds: number };

/** One attempt at a job. The job is completed if the work returns and retried if it throws, unless a method ended the attempt. */
export type Execution = {
  readonly id: string;
  /** The number of this attempt, from 1. */
  readonly attempt: number;
  readonly attemptsMax: number;
  /** The lane of the queue in which the job runs, from 0. */
  readonly lane: number;
  /** Aborted when the job is deleted, expires or has a later attempt, or when the process stops. */
  readonly signal: AbortSignal;
  /** Aborted when the process stops. */
  readonly stopping: AbortSignal;

  // Each method takes effect at the commit, and has no effect if a later attempt has begun.

  /** Ends the job. */
  complete(tx: Tx): Promise<void>;
  /** Requeues the job after `startAfter` seconds, or at once, maybe with a new `position`. An `uncounted` attempt allows one more. */
  putBack(
    tx: Tx,
    change: {
      readonly uncounted: boolean;
      readonly startAfter?: number;
      readonly payload?: object;
      readonly position?: QueuePosition;
    },
  ): Promise<void>;
  /** Fails this attempt. The next one, if any, begins after `startAfter` seconds. */
  retry(tx: Tx, error: unknown, startAfter: number): Promise<void>;
};

/** A job with any payload. */
export type AnyJob<Env> = {
  readonly name: string;
  readonly queue: Queue<Env>;
  /** Does the work. Parses the payload first, because an earlier version can have enqueued it. */
  readonly perform: (env: Env, data: unknown, execution: Execution) => Promise<unknown>;
};

/** The part of a job that is needed to enqueue it. */
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

/** Adds the work to a declared job, in a file that only a worker loads. */
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

/** Declares work for each run of a queue with `cron`. A returned number is logged as removed items. */
export function scheduled<Env>(
  queue: Queue<unknown>,
  name: string,
  work: (env: Env, signal: AbortSignal) => Promise<unknown>,
): AnyJob<Env> {
  return { name, queue, perform: (env, _data, { signal }) => work(env, signal) };
}
