// Generated: do not edit, run `npm run generate`. From src/video-uploads/store.sql.

import { page } from "../../src/pagination/keyset.ts";
import { affectedRows, exactlyOne, one } from "../../src/database/statement.ts";

export type CountUnfinishedParameters = {
  readonly max: number;
  readonly ownerId: string;
};
export type CountUnfinishedRow = {
  readonly count: number;
};
/** Counts an owner's unfinished uploads, up to :max. Prisma's count would sort them all. */
export const countUnfinished = exactlyOne<CountUnfinishedParameters, CountUnfinishedRow>({
  name: "count_unfinished",
  text: `SELECT least(count(*), $1)::int AS "count!" FROM (
  (SELECT FROM video_uploads WHERE owner_id = $2 AND status = 'queued' ORDER BY created_at DESC, id DESC LIMIT $1)
  UNION ALL
  (SELECT FROM video_uploads WHERE owner_id = $2 AND status = 'processing' ORDER BY created_at DESC, id DESC LIMIT $1)) newest`,
  values: (it) => [it.max, it.ownerId],
  columns: ["int4"],
  row: (it) => ({ count: it[0] }) as CountUnfinishedRow,
});

export type FindUploadsParameters = {
  readonly ownerId: string;
  readonly createdAt: string;
  readonly id: string;
  readonly limit: number;
};
export type FindUploadsRow = {
  readonly id: string;
  readonly name: string | null;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly status: string;
  readonly stage: string | null;
  readonly percent: number;
  readonly attempt: number;
  readonly errorCode: string | null;
  readonly errorDetail: string | null;
  readonly result: unknown | null;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
};
export const findUploads = page<FindUploadsParameters, FindUploadsRow>({
  name: "find_uploads",
  text: {
    asc: `SELECT id, name, size_bytes, sha256, status, stage, percent, attempt, error_code, error_detail, result,
  created_at, started_at, finished_at FROM video_uploads
WHERE owner_id = $1 AND (created_at, id) > ($2, $3)
ORDER BY created_at ASC, id ASC LIMIT (SELECT $4::int)`,
    desc: `SELECT id, name, size_bytes, sha256, status, stage, percent, attempt, error_code, error_detail, result,
  created_at, started_at, finished_at FROM video_uploads
WHERE owner_id = $1 AND (created_at, id) < ($2, $3)
ORDER BY created_at DESC, id DESC LIMIT (SELECT $4::int)`,
  },
  limit: 4,
  values: (it) => [it.ownerId, it.createdAt, it.id, it.limit],
  columns: ["uuid", "varchar", "int8", "bpchar", "varchar", "varchar", "int4", "int4", "varchar", "varchar", "jsonb", "timestamptz", "timestamptz", "timestamptz"],
  row: (it) => ({ id: it[0], name: it[1], sizeBytes: it[2], sha256: it[3], status: it[4], stage: it[5], percent: it[6], attempt: it[7], errorCode: it[8], errorDetail: it[9], result: it[10], createdAt: it[11], startedAt: it[12], finishedAt: it[13] }) as FindUploadsRow,
});

export type FindUploadsWithStatusParameters = {
  readonly ownerId: string;
  readonly status: string;
  readonly createdAt: string;
  readonly id: string;
  readonly limit: number;
};
export type FindUploadsWithStatusRow = {
  readonly id: string;
  readonly name: string | null;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly status: string;
  readonly stage: string | null;
  readonly percent: number;
  readonly attempt: number;
  readonly errorCode: string | null;
  readonly errorDetail: string | null;
  readonly result: unknown | null;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
};
export const findUploadsWithStatus = page<FindUploadsWithStatusParameters, FindUploadsWithStatusRow>({
  name: "find_uploads_with_status",
  text: {
    asc: `SELECT id, name, size_bytes, sha256, status, stage, percent, attempt, error_code, error_detail, result,
  created_at, started_at, finished_at FROM video_uploads
WHERE owner_id = $1 AND status = $2 AND (created_at, id) > ($3, $4)
ORDER BY created_at ASC, id ASC LIMIT (SELECT $5::int)`,
    desc: `SELECT id, name, size_bytes, sha256, status, stage, percent, attempt, error_code, error_detail, result,
  created_at, started_at, finished_at FROM video_uploads
WHERE owner_id = $1 AND status = $2 AND (created_at, id) < ($3, $4)
ORDER BY created_at DESC, id DESC LIMIT (SELECT $5::int)`,
  },
  limit: 5,
  values: (it) => [it.ownerId, it.status, it.createdAt, it.id, it.limit],
  columns: ["uuid", "varchar", "int8", "bpchar", "varchar", "varchar", "int4", "int4", "varchar", "varchar", "jsonb", "timestamptz", "timestamptz", "timestamptz"],
  row: (it) => ({ id: it[0], name: it[1], sizeBytes: it[2], sha256: it[3], status: it[4], stage: it[5], percent: it[6], attempt: it[7], errorCode: it[8], errorDetail: it[9], result: it[10], createdAt: it[11], startedAt: it[12], finishedAt: it[13] }) as FindUploadsWithStatusRow,
});

export type RemoveUploadParameters = {
  readonly id: string;
  readonly ownerId: string;
};
export type RemoveUploadRow = {
  readonly ownerId: string;
  readonly sizeBytes: number;
};
/** Removes an upload, and returns its owner and size. A worker that processes it notices at its next write. */
export const removeUpload = one<RemoveUploadParameters, RemoveUploadRow>({
  name: "remove_upload",
  text: `DELETE FROM video_uploads WHERE id = $1 AND owner_id = $2
RETURNING owner_id, (size_bytes + result_bytes)::float8 AS "size_bytes!"`,
  values: (it) => [it.id, it.ownerId],
  columns: ["uuid", "float8"],
  row: (it) => ({ ownerId: it[0], sizeBytes: it[1] }) as RemoveUploadRow,
});

export type SetBegunParameters = {
  readonly attempt: number;
  readonly stage: string;
  readonly videoUploadId: string;
};
/** Begins an attempt. 0 if the upload was deleted or has ended, or if this attempt or a later one has begun already. */
export const setBegun = affectedRows<SetBegunParameters>({
  name: "set_begun",
  text: `UPDATE video_uploads SET status = 'processing', attempt = $1, stage = $2, percent = 0, started_at = clock_timestamp()
WHERE id = $3 AND status IN ('queued', 'processing') AND attempt < $1`,
  values: (it) => [it.attempt, it.stage, it.videoUploadId],
});

export type RecordProgressParameters = {
  readonly stage: string;
  readonly percent: number;
  readonly videoUploadId: string;
  readonly attempt: number;
};
/** Records the progress of an attempt, which never goes back. 0 if the attempt is no longer the current one. */
export const recordProgress = affectedRows<RecordProgressParameters>({
  name: "record_progress",
  text: `UPDATE video_uploads SET stage = $1, percent = greatest(percent, least(99, floor($2::float8)::int))
WHERE id = $3 AND status = 'processing' AND attempt = $4`,
  values: (it) => [it.stage, it.percent, it.videoUploadId, it.attempt],
});

export type ExpectedSecondsOfOthersParameters = {
  readonly ownerId: string;
  readonly id: string;
  readonly aboveSeconds: number;
};
export type ExpectedSecondsOfOthersRow = {
  readonly seconds: number;
};
/** The expected time of the other unfinished uploads of an owner, except those that take at most :above_seconds. It reads the newest 1,000
 * in each state, so that its cost is bounded. */
export const expectedSecondsOfOthers = exactlyOne<ExpectedSecondsOfOthersParameters, ExpectedSecondsOfOthersRow>({
  name: "expected_seconds_of_others",
  text: `SELECT coalesce(sum(expected_seconds), 0)::float8 AS "seconds!" FROM (
  (SELECT expected_seconds FROM video_uploads WHERE owner_id = $1 AND status = 'queued' AND id <> $2
    ORDER BY created_at DESC, id DESC LIMIT 1000)
  UNION ALL (SELECT expected_seconds FROM video_uploads WHERE owner_id = $1 AND status = 'processing' AND id <> $2
    ORDER BY created_at DESC, id DESC LIMIT 1000)) AS newest
WHERE expected_seconds > $3::float8`,
  values: (it) => [it.ownerId, it.id, it.aboveSeconds],
  columns: ["float8"],
  row: (it) => ({ seconds: it[0] }) as ExpectedSecondsOfOthersRow,
});

export type LockAttemptParameters = {
  readonly videoUploadId: string;
  readonly attempt: number;
};
export type LockAttemptRow = {
  readonly status: string;
};
/** The status of the upload of an attempt. FOR UPDATE waits for a transaction of the attempt that may still commit. */
export const lockAttempt = one<LockAttemptParameters, LockAttemptRow>({
  name: "lock_attempt",
  text: `SELECT status FROM video_uploads WHERE id = $1 AND attempt = $2 FOR UPDATE`,
  values: (it) => [it.videoUploadId, it.attempt],
  columns: ["varchar"],
  row: (it) => ({ status: it[0] }) as LockAttemptRow,
});

export type LockUploadParameters = {
  readonly id: string;
};
export const lockUpload = affectedRows<LockUploadParameters>({
  name: "lock_upload",
  text: `SELECT FROM video_uploads WHERE id = $1 FOR UPDATE`,
  values: (it) => [it.id],
});

export type SetFinishedParameters = {
  readonly id: string;
};
export const setFinished = affectedRows<SetFinishedParameters>({
  name: "set_finished",
  text: `UPDATE video_uploads SET finished_at = clock_timestamp() WHERE id = $1`,
  values: (it) => [it.id],
});

export type ReserveParameters = {
  readonly id: string;
  readonly ownerId: string;
  readonly partialId: string | null;
  readonly bytes: number;
};
/** Raises the reservation of an upload to a total, and never lowers it. Does nothing for a resumable upload that was deleted,
 * because its next write finds no row. */
export const reserve = affectedRows<ReserveParameters>({
  name: "reserve",
  text: `INSERT INTO upload_reservations AS mine (id, owner_id, partial_id, size_bytes)
SELECT $1::uuid, $2::uuid, $3::uuid, $4::bigint
WHERE $3 IS NULL OR EXISTS (SELECT FROM partial_uploads WHERE id = $3 FOR KEY SHARE)
ON CONFLICT (id) DO UPDATE SET size_bytes = greatest(mine.size_bytes, excluded.size_bytes), touched_at = clock_timestamp()`,
  values: (it) => [it.id, it.ownerId, it.partialId, it.bytes],
});

export type ReleaseAbandonedParameters = {
  readonly ageSeconds: number;
};
/** Releases reservations of plain uploads that have not grown for some time, because their process has probably died. A slow upload counts
 * again when it is complete. */
export const releaseAbandoned = affectedRows<ReleaseAbandonedParameters>({
  name: "release_abandoned",
  text: `DELETE FROM upload_reservations
WHERE partial_id IS NULL AND touched_at < clock_timestamp() - make_interval(secs => $1)`,
  values: (it) => [it.ageSeconds],
});

export type NotifyOwnerParameters = {
  readonly ownerId: string;
  readonly kind: string;
  readonly name: string | null;
  readonly body: string | null;
  readonly id: string;
};
/** Notifies the owner of a video of its result, and writes events for the webhook endpoints of the owner. */
export const notifyOwner = affectedRows<NotifyOwnerParameters>({
  name: "notify_owner",
  text: `SELECT FROM add_notifications(ARRAY[$1::uuid], $2, NULL, NULL, $3, $4, NULL, $5::text, 'video_upload', $5, '/video-uploads/' || $5),
  tell_endpoints(ARRAY[$1], $2, ARRAY[jsonb_build_object('job_id', $5)], clock_timestamp())`,
  values: (it) => [it.ownerId, it.kind, it.name, it.body, it.id],
});

export type AddRunningTimeParameters = {
  readonly seconds: number;
  readonly id: string;
  readonly ownerId: string;
};
/** Adds to the running time of an upload, if it is still there, and of its owner in this hour. */
export const addRunningTime = affectedRows<AddRunningTimeParameters>({
  name: "add_running_time",
  text: `WITH ran AS (UPDATE video_uploads SET ran_seconds = ran_seconds + $1::float8 WHERE id = $2)
INSERT INTO video_running_time AS mine (owner_id, hour, seconds)
SELECT user_id, date_trunc('hour', now()), $1 FROM storage_usage WHERE user_id = $3
ON CONFLICT (owner_id, hour) DO UPDATE SET seconds = mine.seconds + excluded.seconds`,
  values: (it) => [it.seconds, it.id, it.ownerId],
});

export type RanSecondsOfOwnerParameters = {
  readonly videoUploadId: string;
};
export type RanSecondsOfOwnerRow = {
  readonly seconds: number;
};
/** The running time of jobs for the owner of an upload in the last 24 hours, to the hour. */
export const ranSecondsOfOwner = exactlyOne<RanSecondsOfOwnerParameters, RanSecondsOfOwnerRow>({
  name: "ran_seconds_of_owner",
  text: `SELECT coalesce(sum(ran.seconds), 0)::float8 AS "seconds!"
FROM video_uploads upload JOIN video_running_time ran ON ran.owner_id = upload.owner_id
WHERE upload.id = $1 AND ran.hour > now() - interval '24 hours'`,
  values: (it) => [it.videoUploadId],
  columns: ["float8"],
  row: (it) => ({ seconds: it[0] }) as RanSecondsOfOwnerRow,
});

/** Removes hours that no budget counts. */
export const purgeRunningTime = affectedRows<void>({
  name: "purge_running_time",
  text: `DELETE FROM video_running_time WHERE hour < now() - interval '25 hours'`,
  values: () => [],
});
