-- name: claimKey :one!
-- Claims a key. The response is stored later in the same transaction.
SELECT claim_key(:user_id, :operation_id, :key, :fingerprint, 0, '{}', '', '') AS "is_claimed!";

-- name: findStoredResponse :one
-- In SQL because a retry reads it in the place of its effect.
SELECT fingerprint, status, headers::text AS "headers!", body FROM idempotency_keys
WHERE user_id = :user_id AND operation_id = :operation_id AND key = :key;

-- name: purgeIdempotencyKeys :execrows
-- It looks again at a key that a request was claiming, so that it stays. No index has a time without its zone, so that PostgreSQL reads
-- one batch and not all that have expired.
DELETE FROM idempotency_keys WHERE expires_at AT TIME ZONE 'UTC' < now() AT TIME ZONE 'UTC' AND (user_id, operation_id, key) IN (
  SELECT user_id, operation_id, key FROM idempotency_keys WHERE expires_at < now() ORDER BY expires_at LIMIT :batch);
