-- name: addRunningTime :execrows
-- Adds to the running time of an upload, if it is still there, and of its owner in this hour.
WITH ran AS (UPDATE video_uploads SET ran_seconds = ran_seconds + :seconds::float8 WHERE id = :id)
INSERT INTO video_running_time AS mine (owner_id, hour, seconds)
SELECT id, date_trunc('hour', now()), :seconds FROM users WHERE id = :owner_id
ON CONFLICT (owner_id, hour) DO UPDATE SET seconds = mine.seconds + excluded.seconds;

-- name: ranSecondsOfOwner :one!
-- How long jobs have worked on the videos of the owner of an upload within the last 24 hours, to the hour.
SELECT coalesce(sum(ran.seconds), 0)::float8 AS "seconds!"
FROM video_uploads upload JOIN video_running_time ran ON ran.owner_id = upload.owner_id
WHERE upload.id = :id AND ran.hour > now() - interval '24 hours';

-- name: purgeRunningTime :execrows
-- Removes hours that no budget counts any more.
DELETE FROM video_running_time WHERE hour < now() - interval '25 hours';
