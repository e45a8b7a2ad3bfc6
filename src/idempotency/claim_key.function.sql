-- Claims an idempotency key that is free or expired, and stores the response of its request. Waits for a transaction that has claimed
-- it. False if the key is used. In the response, `placeholder` stands for the time of this transaction, which is the creation time of
-- the row that the request inserts; it is empty if there is none.
CREATE OR REPLACE FUNCTION claim_key(user_id uuid, operation_id text, key text, fingerprint bytea, status int, headers jsonb,
  response text, placeholder text) RETURNS boolean LANGUAGE plpgsql AS $$
-- Edition 2
#variable_conflict use_column
DECLARE
  claimed_at timestamptz := now();
BEGIN
  INSERT INTO idempotency_keys AS k (user_id, operation_id, key, fingerprint, status, headers, body)
  VALUES (claim_key.user_id, claim_key.operation_id, claim_key.key, claim_key.fingerprint, claim_key.status, claim_key.headers,
    replace(response, placeholder, to_char(now()::timestamptz(3) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
  ON CONFLICT (user_id, operation_id, key) DO UPDATE
    SET fingerprint = excluded.fingerprint, status = excluded.status, headers = excluded.headers, body = excluded.body,
      created_at = excluded.created_at, expires_at = excluded.expires_at
    WHERE k.expires_at < claimed_at;
  RETURN FOUND;
END $$;
