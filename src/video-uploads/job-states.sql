-- The states of uploads and of their jobs. One statement reads both, because a job could end between two. A job has the id of its upload.

-- name: findWithoutJob :many
-- Unfinished uploads, created before an instant, that have no unfinished job. Oldest first.
SELECT upload.id AS "id!" FROM video_uploads upload
LEFT JOIN jobs_of(:queue) AS job ON job.id = upload.id AND job.state IN ('created', 'retry', 'active')
WHERE upload.status IN ('queued', 'processing') AND upload.created_at < :before AND job.id IS NULL
ORDER BY upload.created_at LIMIT :limit;

-- name: requeueAbandoned :execrows
-- Sets uploads to `queued` whose worker was lost and whose job waits for the next attempt.
UPDATE video_uploads upload SET status = 'queued', stage = NULL, percent = 0 FROM jobs_of(:queue) AS job
WHERE job.id = upload.id AND job.state = 'retry' AND job.attempt = upload.attempt AND upload.status = 'processing';

-- name: findObserved :many
-- A page of the uploads with these statuses, in the order of their ids, each with the state of its job for an operator. `ageSeconds` is the
-- time in this status. `silentSeconds` is the time since the last heartbeat of a running job.
SELECT u.id AS "id!", u.owner_id AS "owner_id!", u.name, u.status AS "status!", u.attempt AS "attempt!", u.error_code,
  u.created_at AS "created_at!", floor(extract(epoch FROM clock_timestamp() - since))::int AS "age_seconds!", j.state AS job_state,
  CASE WHEN j.state IN ('created', 'retry') THEN j.start_after END AS start_after,
  CASE WHEN j.state = 'active' THEN floor(extract(epoch FROM clock_timestamp() - j.last_seen_at))::int END
    AS silent_seconds
FROM video_uploads u
CROSS JOIN LATERAL coalesce(u.finished_at, CASE WHEN u.status = 'processing' THEN u.started_at END, u.created_at) AS since
LEFT JOIN jobs_of(:queue) AS j ON j.id = u.id
WHERE u.status = ANY (:statuses::text[]) AND (:after?::uuid IS NULL OR u.id > :after?)
  AND since <= clock_timestamp() - make_interval(secs => :older_than_seconds)
ORDER BY u.id LIMIT :limit;
