-- Claims an idempotency key that is free or expired, and stores the response of its request. Waits for a transaction that has claimed
-- it. False if the key is used. `placeholder` as `created_at` or `updated_at` of the response becomes the time of this transaction, which
-- is the creation time of the row that the request inserts.
CREATE OR REPLACE FUNCTION claim_key(user_id uuid, operation_id text, key text, fingerprint bytea, status int, headers jsonb,
  response text, placeholder text) RETURNS boolean LANGUAGE plpgsql AS $$
-- Edition 3
#variable_conflict use_column
DECLARE
  claimed_at timestamptz := now();
  claimed_time text := to_char(claimed_at::timestamptz(3) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
BEGIN
  INSERT INTO idempotency_keys AS k (user_id, operation_id, key, fingerprint, status, headers, body)
  VALUES (claim_key.user_id, claim_key.operation_id, claim_key.key, claim_key.fingerprint, claim_key.status, claim_key.headers,
    -- JSON escapes quotes in texts, so only members of the response match.
    replace(replace(response, '"created_at":"' || placeholder, '"created_at":"' || claimed_time),
      '"updated_at":"' || placeholder, '"updated_at":"' || claimed_time))
  ON CONFLICT (user_id, operation_id, key) DO UPDATE
    SET fingerprint = excluded.fingerprint, status = excluded.status, headers = excluded.headers, body = excluded.body,
      created_at = excluded.created_at, expires_at = excluded.expires_at
    WHERE k.expires_at < claimed_at;
  RETURN FOUND;
END $$;
