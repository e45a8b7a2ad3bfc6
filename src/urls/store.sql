-- part: url
id, target_url, click_count, last_clicked_at, expires_at, expired_url, created_at

-- name: insertUrl :one
-- Inserts a short URL, with its key if there is one. Fails if the short code is or was in use. In SQL as `insertPost` is.
INSERT INTO short_urls (id, owner_id, target_url, expires_at, expired_url)
SELECT :id, :owner_id::uuid, :target_url, :expires_at?::timestamptz, :expired_url?
WHERE CASE WHEN :key?::text IS NULL THEN true
  ELSE claim_key(:user_id?, :operation_id?, :key?, :fingerprint?, :status?, :headers?, :response?, :placeholder?) END
RETURNING created_at;

-- name: findOwnUrl, lockOwnUrl :one
-- The second statement locks it until the transaction ends. In SQL because clients read a short URL more often than anything else.
SELECT {{url}} FROM short_urls
WHERE owner_id = :owner_id AND id = :id AND deleted_at IS NULL[[ FOR UPDATE]];

-- name: findOwnUrls :page
-- In SQL so that all reads of short URLs have the same row.
SELECT {{url}} FROM short_urls
WHERE owner_id = :owner_id AND deleted_at IS NULL AND (created_at, id) < (:created_at, :id)
ORDER BY created_at DESC, id DESC LIMIT :limit;

-- name: findTarget :one
-- The target of a short URL of any owner, even if it is deleted. In SQL because every redirect reads it.
SELECT target_url, deleted_at, expires_at, expired_url FROM short_urls WHERE id = :id;

-- name: addClicks :one!
-- Adds the clicks of one day to many short URLs, and returns the id of the transaction. It locks a short URL before the row of its day,
-- so that a short URL that was deleted during the wait gets no clicks.
WITH counted AS (
  UPDATE short_urls AS u
  SET click_count = u.click_count + c.count, last_clicked_at = greatest(u.last_clicked_at, c.last_at)
  FROM unnest((SELECT :ids::text[]), (SELECT :counts::int[]), (SELECT :last_ats::timestamptz[])) AS c (id, count, last_at)
  -- Always true, but the planner then expects few rows. A loop over the sorted ids locks them in order; a hash join would deadlock.
  WHERE u.id = c.id AND u.deleted_at IS NULL AND (SELECT count(*)) = 1
  RETURNING u.id, c.count),
counted_days AS (
  INSERT INTO click_days AS d (short_url_id, day, click_count) SELECT id, :day::text::date, count FROM counted
  ON CONFLICT (short_url_id, day) DO UPDATE SET click_count = d.click_count + excluded.click_count)
SELECT pg_current_xact_id()::text AS "transaction_id!";

-- name: findClicks :many
-- The days with a click, and the number of clicks.
SELECT to_char(day, 'YYYY-MM-DD') AS "date!", click_count FROM click_days
WHERE short_url_id = :id AND day BETWEEN :from::text::date AND :to::text::date;

-- name: purgeClickDays :execrows
-- Keeps one day more than responses show, because the clocks of processes differ.
DELETE FROM click_days WHERE (short_url_id, day) IN (
  SELECT short_url_id, day FROM click_days WHERE day < (now() AT TIME ZONE 'UTC')::date - :retention_days::int ORDER BY day LIMIT :batch);

-- name: findOutcome :one!
-- The outcome of a transaction. After a failover, the new server may not know it.
SELECT pg_xact_status(:transaction_id) AS status;

-- name: eraseUrls :execrows
-- Removes the data of some short URLs, except their codes, which are never used again. A trigger removes their days.
UPDATE short_urls SET owner_id = :deleted_user_id, target_url = '', click_count = 0, last_clicked_at = NULL, expires_at = NULL,
  expired_url = NULL, deleted_at = least(deleted_at, now()), created_at = '2000-01-01Z'
WHERE id IN (SELECT id FROM short_urls WHERE owner_id = :user_id LIMIT :batch);
