-- name: countUnfinished :one!
-- Counts an owner's unfinished uploads, up to :max. Prisma's count would sort them all.
SELECT least(count(*), :max)::int AS "count!" FROM (
  (SELECT FROM video_uploads WHERE owner_id = :owner_id AND status = 'queued' ORDER BY created_at DESC, id DESC LIMIT :max)
  UNION ALL
  (SELECT FROM video_uploads WHERE owner_id = :owner_id AND status = 'processing' ORDER BY created_at DESC, id DESC LIMIT :max)) newest;

-- name: findUploads, findUploadsWithStatus :page
SELECT id, name, size_bytes, sha256, status, stage, percent, attempt, error_code, error_detail, result,
  created_at, started_at, finished_at FROM video_uploads
WHERE owner_id = :owner_id AND [[status = :status AND ]](created_at, id) < (:created_at, :id)
ORDER BY created_at DESC, id DESC LIMIT (SELECT :limit::int);

-- name: removeUpload :one
-- Removes an upload, and returns its owner and size. A worker that processes it notices at its next write.
DELETE FROM video_uploads WHERE id = :id AND owner_id = :owner_id
RETURNING owner_id, (size_bytes + result_bytes)::float8 AS "size_bytes!";

-- name: setBegun :execrows
-- Begins an attempt. 0 if the upload was deleted or has ended, or if this attempt or a later one has begun already.
UPDATE video_uploads SET status = 'processing', attempt = :attempt, stage = :stage, percent = 0, started_at = clock_timestamp()
WHERE id = :video_upload_id AND status IN ('queued', 'processing') AND attempt < :attempt;

-- name: recordProgress :execrows
-- Records the progress of an attempt, which never goes back. 0 if the attempt is no longer the current one.
UPDATE video_uploads SET stage = :stage, percent = greatest(percent, least(99, floor(:percent::float8)::int))
WHERE id = :video_upload_id AND status = 'processing' AND attempt = :attempt;

-- name: expectedSecondsOfOthers :one!
-- The expected time of the other unfinished uploads of an owner, except those that take at most :above_seconds. It reads the newest 1,000
-- in each state, so that its cost is bounded.
SELECT coalesce(sum(expected_seconds), 0)::float8 AS "seconds!" FROM (
  (SELECT expected_seconds FROM video_uploads WHERE owner_id = :owner_id AND status = 'queued' AND id <> :id
    ORDER BY created_at DESC, id DESC LIMIT 1000)
  UNION ALL (SELECT expected_seconds FROM video_uploads WHERE owner_id = :owner_id AND status = 'processing' AND id <> :id
    ORDER BY created_at DESC, id DESC LIMIT 1000)) AS newest
WHERE expected_seconds > :above_seconds::float8;

-- name: lockAttempt :one
-- The status of the upload of an attempt. FOR UPDATE waits for a transaction of the attempt that may still commit.
SELECT status FROM video_uploads WHERE id = :video_upload_id AND attempt = :attempt FOR UPDATE;

-- name: lockUpload :execrows
SELECT FROM video_uploads WHERE id = :id FOR UPDATE;

-- name: setFinished :execrows
UPDATE video_uploads SET finished_at = clock_timestamp() WHERE id = :id;

-- name: reserve :execrows
-- Raises the reservation of an upload to a total, and never lowers it. Does nothing for a resumable upload that was deleted,
-- because its next write finds no row.
INSERT INTO upload_reservations AS mine (id, owner_id, partial_id, size_bytes)
SELECT :id::uuid, :owner_id::uuid, :partial_id?::uuid, :bytes::bigint
WHERE :partial_id? IS NULL OR EXISTS (SELECT FROM partial_uploads WHERE id = :partial_id? FOR KEY SHARE)
ON CONFLICT (id) DO UPDATE SET size_bytes = greatest(mine.size_bytes, excluded.size_bytes), touched_at = clock_timestamp();

-- name: releaseAbandoned :execrows
-- Releases reservations of plain uploads that have not grown for some time, because their process has probably died. A slow upload counts
-- again when it is complete.
DELETE FROM upload_reservations
WHERE partial_id IS NULL AND touched_at < clock_timestamp() - make_interval(secs => :age_seconds);

-- name: notifyOwner :execrows
-- Notifies the owner of a video of its result, and writes events for the webhook endpoints of the owner.
SELECT FROM add_notifications(ARRAY[:owner_id::uuid], :kind, NULL, NULL, :name?, :body?, NULL, :id::text, 'video_upload', :id, '/video-uploads/' || :id),
  tell_endpoints(ARRAY[:owner_id], :kind, ARRAY[jsonb_build_object('job_id', :id)], clock_timestamp());

-- name: addRunningTime :execrows
-- Adds to the running time of an upload, if it is still there, and of its owner in this hour.
WITH ran AS (UPDATE video_uploads SET ran_seconds = ran_seconds + :seconds::float8 WHERE id = :id)
INSERT INTO video_running_time AS mine (owner_id, hour, seconds)
SELECT user_id, date_trunc('hour', now()), :seconds FROM storage_usage WHERE user_id = :owner_id
ON CONFLICT (owner_id, hour) DO UPDATE SET seconds = mine.seconds + excluded.seconds;

-- name: ranSecondsOfOwner :one!
-- The running time of jobs for the owner of an upload in the last 24 hours, to the hour.
SELECT coalesce(sum(ran.seconds), 0)::float8 AS "seconds!"
FROM video_uploads upload JOIN video_running_time ran ON ran.owner_id = upload.owner_id
WHERE upload.id = :video_upload_id AND ran.hour > now() - interval '24 hours';

-- name: purgeRunningTime :execrows
-- Removes hours that no budget counts.
DELETE FROM video_running_time WHERE hour < now() - interval '25 hours';
