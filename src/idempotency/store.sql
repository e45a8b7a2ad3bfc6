-- name: claimKey :execrows
-- Claims a key that is free or expired, and waits for a transaction that has claimed it. The response is stored later in the same
-- transaction. The statements that insert a row with its key have the same INSERT.
INSERT INTO idempotency_keys AS k (user_id, operation_id, key, fingerprint, status, headers, body)
VALUES (:user_id, :operation_id, :key, :fingerprint, 0, '{}', '')
ON CONFLICT (user_id, operation_id, key) DO UPDATE
  SET fingerprint = excluded.fingerprint, status = excluded.status, headers = excluded.headers, body = excluded.body,
    created_at = excluded.created_at, expires_at = excluded.expires_at
  WHERE k.expires_at < now();

-- name: findStoredResponse :one
-- In SQL because a retry reads it in the place of its effect.
SELECT fingerprint, status, headers::text AS "headers!", body FROM idempotency_keys
WHERE user_id = :user_id AND operation_id = :operation_id AND key = :key;

-- name: purgeIdempotencyKeys :execrows
-- A key that a request is claiming is locked, and stays.
DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM idempotency_keys WHERE expires_at < now() ORDER BY expires_at LIMIT :batch FOR UPDATE SKIP LOCKED));
