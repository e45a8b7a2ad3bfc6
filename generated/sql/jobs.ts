// Generated: do not edit, run `npm run generate`. From src/jobs/store.sql.

import { affectedRows, exactlyOne, many, one } from "../../src/database/statement.ts";

export type CountJobsParameters = {
  readonly firstLane: number;
};
export type CountJobsRow = {
  readonly queue: string;
  readonly waiting: number;
  readonly deferred: number;
  readonly active: number;
  readonly failed: number;
  readonly oldestSeconds: number;
  readonly oldestLaterSeconds: number;
};
/** Counts the jobs of each queue. It reads at most 10,000 waiting jobs of a queue, by an index. The other numbers are in `pgboss.queue`,
 * where a worker updates them every few seconds. `oldestSeconds` is the longest wait of a job that can start, in the lanes of
 * short jobs; `oldestLaterSeconds` is that of the other lanes. */
export const countJobs = many<CountJobsParameters, CountJobsRow>({
  name: "count_jobs",
  text: `SELECT q.name AS queue, w.waiting AS "waiting!", w.deferred AS "deferred!", q.active_count AS active, q.failed_count AS failed,
  w.oldest_seconds AS "oldest_seconds!", w.oldest_later_seconds AS "oldest_later_seconds!"
FROM pgboss.queue q, LATERAL (
  SELECT count(*) FILTER (WHERE start_after <= now())::int AS waiting, count(*) FILTER (WHERE start_after > now())::int AS deferred,
    coalesce(extract(epoch FROM now() - min(start_after) FILTER (WHERE start_after <= now() AND priority >= $1)), 0)::int
      AS oldest_seconds,
    coalesce(extract(epoch FROM now() - min(start_after) FILTER (WHERE start_after <= now() AND priority < $1)), 0)::int
      AS oldest_later_seconds
  FROM (SELECT start_after, priority FROM pgboss.job WHERE name = q.name AND state < 'active' AND NOT blocked LIMIT 10000) AS counted
) w`,
  values: (it) => [it.firstLane],
  columns: ["text", "int4", "int4", "int4", "int4", "int4", "int4"],
  row: (it) => ({ queue: it[0], waiting: it[1], deferred: it[2], active: it[3], failed: it[4], oldestSeconds: it[5], oldestLaterSeconds: it[6] }) as CountJobsRow,
});

export type RemoveJobsOfParameters = {
  readonly queue: string;
  readonly userId: string;
};
/** Removes all jobs of a user from a queue, running ones too. It reads only the jobs of this queue. */
export const removeJobsOf = affectedRows<RemoveJobsOfParameters>({
  name: "remove_jobs_of",
  text: `DELETE FROM pgboss.job WHERE name = $1 AND data->>'userId' = $2`,
  values: (it) => [it.queue, it.userId],
});

export type CountAttemptsBeforeParameters = {
  readonly attempts: number;
  readonly id: string;
};
/** Adds earlier attempts to the count of a new job, for which pg-boss has no option. They don't reduce its retries. */
export const countAttemptsBefore = affectedRows<CountAttemptsBeforeParameters>({
  name: "count_attempts_before",
  text: `UPDATE pgboss.job SET retry_count = $1, retry_limit = retry_limit + $1 WHERE id = $2 AND state = 'created'`,
  values: (it) => [it.attempts, it.id],
});

export type FindObservedJobsParameters = {
  readonly queue: string | null;
  readonly states: readonly string[];
  readonly after: string | null;
  readonly limit: number;
};
export type FindObservedJobsRow = {
  readonly queue: string;
  readonly id: string;
  readonly state: string;
  readonly work: string;
  readonly attempts: number;
  readonly ageSeconds: number;
  readonly error: string | null;
  readonly data: unknown | null;
};
/** One page of the jobs in these states, of one queue or of all, in the order of their ids. */
export const findObservedJobs = many<FindObservedJobsParameters, FindObservedJobsRow>({
  name: "find_observed_jobs",
  text: `SELECT name AS queue, id, state::text AS "state!", coalesce(data->>'work', name) AS "work!", retry_count + 1 AS "attempts!",
  floor(extract(epoch FROM clock_timestamp() - coalesce(completed_on, started_on, created_on)))::int AS "age_seconds!",
  coalesce(output->>'message', output->'value'->>'message', output->>'detail', output::text) AS error, data
FROM pgboss.job
WHERE ($1::text IS NULL OR name = $1) AND state::text = ANY ($2::text[]) AND ($3::uuid IS NULL OR id > $3)
ORDER BY id LIMIT $4`,
  values: (it) => [it.queue, it.states, it.after, it.limit],
  columns: ["text", "uuid", "text", "text", "int4", "int4", "text", "jsonb"],
  row: (it) => ({ queue: it[0], id: it[1], state: it[2], work: it[3], attempts: it[4], ageSeconds: it[5], error: it[6], data: it[7] }) as FindObservedJobsRow,
});

export type FindJobStateParameters = {
  readonly queue: string;
  readonly id: string;
};
export type FindJobStateRow = {
  readonly state: string;
};
export const findJobState = one<FindJobStateParameters, FindJobStateRow>({
  name: "find_job_state",
  text: `SELECT state::text AS "state!" FROM pgboss.job WHERE name = $1 AND id = $2`,
  values: (it) => [it.queue, it.id],
  columns: ["text"],
  row: (it) => ({ state: it[0] }) as FindJobStateRow,
});

export type HasUnfinishedJobParameters = {
  readonly queue: string;
  readonly id: string;
};
export type HasUnfinishedJobRow = {
  readonly isThere: boolean;
};
/** Whether a job waits or runs. */
export const hasUnfinishedJob = exactlyOne<HasUnfinishedJobParameters, HasUnfinishedJobRow>({
  name: "has_unfinished_job",
  text: `SELECT EXISTS (
  SELECT FROM pgboss.job WHERE name = $1 AND id = $2 AND state IN ('created', 'retry', 'active')) AS "is_there!"`,
  values: (it) => [it.queue, it.id],
  columns: ["bool"],
  row: (it) => ({ isThere: it[0] }) as HasUnfinishedJobRow,
});
