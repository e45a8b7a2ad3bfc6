import { Prisma } from "#generated/prisma/client.ts";
import type { Tx } from "../database/client.ts";
import { statement } from "../database/old-statement.ts";
import type { AnyJob, Queue } from "./job.ts";
import { laneRange } from "./priority.ts";

/** The unfinished jobs of a queue (waiting or running) as a FROM item: their `id`, `state` and `retry_count`. */
export const unfinishedJobs = ({ queue }: Pick<AnyJob<never>, "queue">): Prisma.Sql => Prisma.sql`(
  SELECT id, state, retry_count FROM pgboss.job WHERE name = ${queue.name} AND state IN ('created', 'retry', 'active'))`;

/** All jobs of a queue as a FROM item: their `id`, `state`, `start_after`, and when the worker of each was last heard of. */
export const jobsOf = ({ queue }: Pick<AnyJob<never>, "queue">): Prisma.Sql => Prisma.sql`(
  SELECT id, state::text AS state, start_after, coalesce(heartbeat_on, started_on) AS heard_at FROM pgboss.job WHERE name = ${queue.name})`;

const FIRST_LANE = laneRange(0, 2);
const oldestWhere = (isThere: string) =>
  `coalesce(extract(epoch FROM now() - min(start_after) FILTER (WHERE start_after <= now() AND ${isThere})), 0)::int`;

/**
 * Counts the jobs of each queue. It reads at most 10,000 waiting jobs of a queue, by an index; a worker has counted the others
 * a few seconds ago. `oldestSeconds` is how long a job in the first lane that could start has waited, `oldestLaterSeconds` one in
 * another lane.
 */
export const countJobs = statement({
  name: "count_jobs",
  takes: [],
  gives: {
    queue: "text",
    waiting: "int",
    deferred: "int",
    active: "int",
    failed: "int",
    oldestSeconds: "int",
    oldestLaterSeconds: "int",
  },
  text: `SELECT q.name AS queue, w.waiting, w.deferred, q.active_count AS active, q.failed_count AS failed, w.oldest_seconds, w.oldest_later_seconds
    FROM pgboss.queue q, LATERAL (
      SELECT count(*) FILTER (WHERE start_after <= now())::int AS waiting, count(*) FILTER (WHERE start_after > now())::int AS deferred,
        ${oldestWhere(`priority >= ${FIRST_LANE.minPriority}`)} AS oldest_seconds,
        ${oldestWhere(`priority < ${FIRST_LANE.minPriority}`)} AS oldest_later_seconds
      FROM (SELECT start_after, priority FROM pgboss.job WHERE name = q.name AND state < 'active' AND NOT blocked LIMIT 10000) AS looked_at
    ) w`,
});

/** Removes all jobs of a user from a queue, also one that runs. It reads the jobs of this queue only. */
export async function removeJobsOf(tx: Tx, { name }: Queue<never>, userId: string): Promise<void> {
  await tx.$executeRaw`DELETE FROM pgboss.job WHERE name = ${name} AND data->>'userId' = ${userId}`;
}

/** Adds earlier attempts to the count of a new job, which pg-boss has no option for. They don't reduce its retries. */
export async function countAttemptsBefore(tx: Tx, id: string, attempts: number): Promise<void> {
  await tx.$executeRaw`
    UPDATE pgboss.job SET retry_count = ${attempts}, retry_limit = retry_limit + ${attempts} WHERE id = ${id}::uuid AND state = 'created'`;
}

/** A job, as an operator sees it. */
export type ObservedJob = {
  readonly queue: string;
  readonly id: string;
  readonly state: string;
  readonly work: string;
  readonly attempts: number;
  readonly ageSeconds: number;
  readonly error: string | null;
  readonly data: unknown;
};
type JobFilter = { readonly queue: string | null; readonly states: readonly string[]; readonly after: string | null };

/** One page of the jobs in these states, of one queue or of all, in the order of their ids. */
export function findObservedJobs(tx: Tx, { queue, states, after }: JobFilter, take: number): Promise<ObservedJob[]> {
  return tx.$queryRaw<ObservedJob[]>`
    SELECT name AS queue, id::text, state::text, coalesce(data->>'work', name) AS work, retry_count + 1 AS attempts,
      floor(extract(epoch FROM clock_timestamp() - coalesce(completed_on, started_on, created_on)))::int AS "ageSeconds",
      coalesce(output->>'message', output->'value'->>'message', output->>'detail', output::text) AS error, data
    FROM pgboss.job
    WHERE (${queue}::text IS NULL OR name = ${queue}) AND state::text = ANY (${[...states]}::text[])
      AND (${after}::uuid IS NULL OR id > ${after}::uuid)
    ORDER BY id LIMIT ${take}`;
}

/** The state of a job; null if there is none. */
export async function findJobState(tx: Tx, queue: string, id: string): Promise<string | null> {
  const [row] = await tx.$queryRaw<{ state: string }[]>`
    SELECT state::text FROM pgboss.job WHERE name = ${queue} AND id = ${id}::uuid`;
  return row?.state ?? null;
}
