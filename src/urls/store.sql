-- name: insertUrl :one
-- Inserts a short URL, with its key if there is one. Fails if the short code is or was in use. In SQL as `insertPost` is.
INSERT INTO short_urls (id, owner_id, target_url, expires_at) SELECT :id, :owner_id::uuid, :target_url, :expires_at?::timestamptz
WHERE CASE WHEN :key?::text IS NULL THEN true
  ELSE claim_key(:user_id?, :operation_id?, :key?, :fingerprint?, :status?, :headers?, :response?, :placeholder?) END
RETURNING created_at;

-- name: findOwnUrl :one
-- In SQL because clients read a short URL more often than anything else.
SELECT id, target_url, click_count, last_clicked_at, expires_at, created_at FROM short_urls
WHERE owner_id = :owner_id AND id = :id AND deleted_at IS NULL;

-- name: findOwnUrls :page
-- In SQL so that all reads of short URLs have the same row.
SELECT id, target_url, click_count, last_clicked_at, expires_at, created_at FROM short_urls
WHERE owner_id = :owner_id AND deleted_at IS NULL AND (created_at, id) < (:created_at, :id)
ORDER BY created_at DESC, id DESC LIMIT (SELECT :limit::int);

-- name: findTarget :one
-- The target of a short URL of any owner, even if it is deleted. In SQL because every redirect reads it.
SELECT target_url, deleted_at, expires_at FROM short_urls WHERE id = :id;

-- name: addClicks :one!
-- Adds clicks to many short URLs, and returns the id of the transaction.
WITH counted AS (
  UPDATE short_urls AS u
  SET click_count = u.click_count + c.count, last_clicked_at = greatest(u.last_clicked_at, c.last_at)
  FROM unnest((SELECT :ids::text[]), (SELECT :counts::int[]), (SELECT :last_ats::timestamptz[])) AS c (id, count, last_at)
  WHERE u.id = c.id)
SELECT pg_current_xact_id()::text AS "transaction_id!";

-- name: findOutcome :one!
-- What has become of a transaction. After a failover, the new server may not have it.
SELECT pg_xact_status(:transaction_id) AS status;

-- name: eraseUrls :execrows
-- Removes what belongs to some short URLs except their codes, which are never used again.
UPDATE short_urls SET owner_id = :nobody, target_url = '', click_count = 0, last_clicked_at = NULL, expires_at = NULL,
  deleted_at = coalesce(deleted_at, now()), created_at = '2000-01-01Z'
WHERE id IN (SELECT id FROM short_urls WHERE owner_id = :user_id LIMIT :batch);
