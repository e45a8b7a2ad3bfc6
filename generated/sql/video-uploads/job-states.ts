// Generated: do not edit, run `npm run generate`. From src/video-uploads/job-states.sql.

import { affectedRows, many } from "../../../src/database/statement.ts";

export type FindWithoutJobParameters = {
  readonly queue: string;
  readonly before: string;
  readonly limit: number;
};
export type FindWithoutJobRow = {
  readonly id: string;
};
/** Unfinished uploads, created before an instant, that have no unfinished job. Oldest first. */
export const findWithoutJob = many<FindWithoutJobParameters, FindWithoutJobRow>({
  name: "find_without_job",
  text: `SELECT upload.id AS "id!" FROM video_uploads upload
LEFT JOIN jobs_of($1) AS job ON job.id = upload.id AND job.state IN ('created', 'retry', 'active')
WHERE upload.status IN ('queued', 'processing') AND upload.created_at < $2 AND job.id IS NULL
ORDER BY upload.created_at LIMIT $3`,
  values: (it) => [it.queue, it.before, it.limit],
  columns: ["uuid"],
  row: (it) => ({ id: it[0] }) as FindWithoutJobRow,
});

export type RequeueAbandonedParameters = {
  readonly queue: string;
};
/** Sets uploads to `queued` whose worker was lost and whose job waits for the next attempt. */
export const requeueAbandoned = affectedRows<RequeueAbandonedParameters>({
  name: "requeue_abandoned",
  text: `UPDATE video_uploads upload SET status = 'queued', stage = NULL, percent = 0 FROM jobs_of($1) AS job
WHERE job.id = upload.id AND job.state = 'retry' AND job.attempt = upload.attempt AND upload.status = 'processing'`,
  values: (it) => [it.queue],
});

export type FindObservedParameters = {
  readonly queue: string;
  readonly statuses: readonly string[];
  readonly after: string | null;
  readonly olderThanSeconds: number;
  readonly limit: number;
};
export type FindObservedRow = {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string | null;
  readonly status: string;
  readonly attempt: number;
  readonly errorCode: string | null;
  readonly createdAt: string;
  readonly ageSeconds: number;
  readonly jobState: string | null;
  readonly startAfter: string | null;
  readonly silentSeconds: number | null;
};
/** A page of the uploads with these statuses, in the order of their ids, each with the state of its job for an operator. `ageSeconds` is the
 * time in this status. `silentSeconds` is the time since the last heartbeat of a running job. */
export const findObserved = many<FindObservedParameters, FindObservedRow>({
  name: "find_observed",
  text: `SELECT u.id AS "id!", u.owner_id AS "owner_id!", u.name, u.status AS "status!", u.attempt AS "attempt!", u.error_code,
  u.created_at AS "created_at!", floor(extract(epoch FROM clock_timestamp() - since))::int AS "age_seconds!", j.state AS job_state,
  CASE WHEN j.state IN ('created', 'retry') THEN j.start_after END AS start_after,
  CASE WHEN j.state = 'active' THEN floor(extract(epoch FROM clock_timestamp() - j.last_seen_at))::int END
    AS silent_seconds
FROM video_uploads u
CROSS JOIN LATERAL coalesce(u.finished_at, CASE WHEN u.status = 'processing' THEN u.started_at END, u.created_at) AS since
LEFT JOIN jobs_of($1) AS j ON j.id = u.id
WHERE u.status = ANY ($2::text[]) AND ($3::uuid IS NULL OR u.id > $3)
  AND since <= clock_timestamp() - make_interval(secs => $4)
ORDER BY u.id LIMIT $5`,
  values: (it) => [it.queue, it.statuses, it.after, it.olderThanSeconds, it.limit],
  columns: ["uuid", "uuid", "varchar", "varchar", "int4", "varchar", "timestamptz", "int4", "text", "timestamptz", "int4"],
  row: (it) => ({ id: it[0], ownerId: it[1], name: it[2], status: it[3], attempt: it[4], errorCode: it[5], createdAt: it[6], ageSeconds: it[7], jobState: it[8], startAfter: it[9], silentSeconds: it[10] }) as FindObservedRow,
});
