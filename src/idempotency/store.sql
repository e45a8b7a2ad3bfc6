-- name: claimKey :one!
-- Claims a key. The response is stored later in the same transaction.
SELECT claim_key(:user_id, :operation_id, :key, :fingerprint, 0, '{}', '', '') AS "is_claimed!";

-- name: findStoredResponse :one
-- In SQL because a retry reads it in the place of its effect.
SELECT fingerprint, status, headers::text AS "headers!", body FROM idempotency_keys
WHERE user_id = :user_id AND operation_id = :operation_id AND key = :key;

-- name: purgeIdempotencyKeys :execrows
-- A key that a request is claiming is locked, and stays.
DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM idempotency_keys WHERE expires_at < now() ORDER BY expires_at LIMIT :batch FOR UPDATE SKIP LOCKED));
