-- The tables of pg-boss, which has no functions for these.

-- name: countJobs :many
-- Counts the jobs of each queue. It reads at most 10,000 waiting jobs of a queue, by an index. The other numbers are in `pgboss.queue`,
-- where a worker updates them every few seconds. `oldestSeconds` is the longest wait of a job that can start, in the lanes of
-- short jobs; `oldestLaterSeconds` is that of the other lanes.
SELECT q.name AS queue, w.waiting AS "waiting!", w.deferred AS "deferred!", q.active_count AS active, q.failed_count AS failed,
  w.oldest_seconds AS "oldest_seconds!", w.oldest_later_seconds AS "oldest_later_seconds!"
FROM pgboss.queue q, LATERAL (
  SELECT count(*) FILTER (WHERE start_after <= now())::int AS waiting, count(*) FILTER (WHERE start_after > now())::int AS deferred,
    coalesce(extract(epoch FROM now() - min(start_after) FILTER (WHERE start_after <= now() AND priority >= :first_lane)), 0)::int
      AS oldest_seconds,
    coalesce(extract(epoch FROM now() - min(start_after) FILTER (WHERE start_after <= now() AND priority < :first_lane)), 0)::int
      AS oldest_later_seconds
  FROM (SELECT start_after, priority FROM pgboss.job WHERE name = q.name AND state < 'active' AND NOT blocked LIMIT 10000) AS counted
) w;

-- name: removeJobsOf :execrows
-- Removes all jobs of a user from a queue, running ones too. It reads only the jobs of this queue.
DELETE FROM pgboss.job WHERE name = :queue AND data->>'userId' = :user_id;

-- name: countAttemptsBefore :execrows
-- Adds earlier attempts to the count of a new job, for which pg-boss has no option. They don't reduce its retries.
UPDATE pgboss.job SET retry_count = :attempts, retry_limit = retry_limit + :attempts WHERE id = :id AND state = 'created';

-- name: findObservedJobs :many
-- One page of the jobs in these states, of one queue or of all, in the order of their ids.
SELECT name AS queue, id, state::text AS "state!", coalesce(data->>'work', name) AS "work!", retry_count + 1 AS "attempts!",
  floor(extract(epoch FROM clock_timestamp() - coalesce(completed_on, started_on, created_on)))::int AS "age_seconds!",
  coalesce(output->>'message', output->'value'->>'message', output->>'detail', output::text) AS error, data
FROM pgboss.job
WHERE (:queue?::text IS NULL OR name = :queue?) AND state::text = ANY (:states::text[]) AND (:after?::uuid IS NULL OR id > :after?)
ORDER BY id LIMIT :limit;

-- name: findJobState :one
SELECT state::text AS "state!" FROM pgboss.job WHERE name = :queue AND id = :id;

-- name: hasUnfinishedJob :one!
-- Whether a job waits or runs.
SELECT EXISTS (
  SELECT FROM pgboss.job WHERE name = :queue AND id = :id AND state IN ('created', 'retry', 'active')) AS "is_there!";
