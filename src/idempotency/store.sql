-- name: claimKey :one!
-- Claims a key. The response is stored later in the same transaction.
SELECT claim_key(:user_id, :operation_id, :key, :fingerprint, 0, '{}', '', '') AS "is_claimed!";

-- name: findStoredResponse :one
-- In SQL because each retry reads it.
SELECT fingerprint, status, headers::text AS "headers!", body FROM idempotency_keys
WHERE user_id = :user_id AND operation_id = :operation_id AND key = :key;

-- name: purgeIdempotencyKeys :execrows
-- It checks a key again after a wait, because a request may have claimed it. The condition without a time zone fits no index, so that
-- PostgreSQL reads one batch, and not all expired keys.
DELETE FROM idempotency_keys WHERE expires_at AT TIME ZONE 'UTC' < now() AT TIME ZONE 'UTC' AND (user_id, operation_id, key) IN (
  SELECT user_id, operation_id, key FROM idempotency_keys WHERE expires_at < now() ORDER BY expires_at LIMIT :batch);
