import type { Queue as BossQueue } from "pg-boss";
import type { z } from "zod";
import type { Tx } from "../database/client.ts";

/**
 * What holds for a queue that says nothing else. Two of these bound the table of jobs: a job that has ended is deleted
 * after `deleteAfterSeconds`, one that was never started after `retentionSeconds`.
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

/** Every option of a queue, by pg-boss's names. */
export type QueueOptions = { readonly [K in keyof typeof DEFAULT_OPTIONS]: NonNullable<BossQueue[K]> | null };

/** A queue of the database. `Env` is what the work on its jobs needs: connections, stores, settings. */
export type Queue<Env> = {
  /** As the database has it: jobs of earlier versions wait under this name. */
  readonly name: string;
  readonly options?: Partial<QueueOptions>;
  /** How many of its jobs one process works on at a time; one by default. */
  readonly concurrency?: number | ((env: Env) => number);
  /** How long a waiting job may go unnoticed where there is no notification; a second by default. */
  readonly pollSeconds?: number;
  /** When the queue has a job by itself. Such a job does the work of all jobs declared for the queue, one after the other. */
  readonly cron?: string;
};

/** One start of a job, and the ways in which it may end other than by returning (completed) or throwing (retried). */
export type Execution = {
  readonly id: string;
  /** Which start this is, from 1. */
  readonly attempt: number;
  readonly attemptsMax: number;
  /** Aborted when the job is taken away or the process stops. */
  readonly signal: AbortSignal;
  /** Aborted when the process stops. */
  readonly stopping: AbortSignal;

  // Each of these is part of the transaction, and does nothing when a later attempt has begun.

  /** Ends the job. */
  complete(tx: Tx): Promise<void>;
  /** Has the job start again, at once unless told otherwise; an `uncounted` attempt is made up for by one more. */
  putBack(
    tx: Tx,
    change: { readonly uncounted: boolean; readonly startAfter?: number; readonly payload?: object },
  ): Promise<void>;
  /** Fails this attempt; the next one, where one is left, begins after so many seconds. */
  retry(tx: Tx, error: unknown, startAfter: number): Promise<void>;
};

/** A job of any payload. */
export type AnyJob<Env> = {
  readonly name: string;
  readonly queue: Queue<Env>;
  /** Parses the payload, which an earlier version may have sent, and does the work. */
  readonly perform: (env: Env, data: unknown, execution: Execution) => Promise<unknown>;
};

/** A job as its area declares it. */
export type Job<Payload, Env> = AnyJob<Env> & { readonly payload: z.ZodType<Payload> };

type Declaration<Payload, Env> = Omit<Queue<Env>, "cron"> & {
  readonly payload: z.ZodType<Payload>;
  /** A queue that it shares with other jobs; by default a queue of its name. */
  readonly queue?: Queue<Env>;
  readonly work: (env: Env, payload: Payload, execution: Execution) => Promise<unknown>;
};

/** Declares a job: its name, its payload, how it is retried, and its work. */
export function job<Payload, Env>({ payload, work, queue, ...own }: Declaration<Payload, Env>): Job<Payload, Env> {
  const perform: AnyJob<Env>["perform"] = (env, data, execution) => work(env, payload.parse(data), execution);
  return { name: own.name, queue: queue ?? own, payload, perform };
}

/** Declares work that a queue with a timetable does each time. A number that it returns is how much it has removed. */
export function scheduled<Env>(
  queue: Queue<unknown>,
  name: string,
  work: (env: Env, signal: AbortSignal) => Promise<unknown>,
): AnyJob<Env> {
  return { name, queue, perform: (env, _data, { signal }) => work(env, signal) };
}
