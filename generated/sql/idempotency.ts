// Generated: do not edit, run `npm run generate`. From src/idempotency/store.sql.

import { affectedRows, one } from "../../src/database/statement.ts";

export type ClaimKeyParameters = {
  readonly userId: string;
  readonly operationId: string;
  readonly key: string;
  readonly fingerprint: Uint8Array;
};
/** Claims a key that is free or expired, and waits for a transaction that has claimed it. The response is stored later in the same
 * transaction. The statements that insert a row with its key have the same INSERT. */
export const claimKey = affectedRows<ClaimKeyParameters>({
  name: "claim_key",
  text: `INSERT INTO idempotency_keys AS k (user_id, operation_id, key, fingerprint, status, headers, body)
VALUES ($1, $2, $3, $4, 0, '{}', '')
ON CONFLICT (user_id, operation_id, key) DO UPDATE
  SET fingerprint = excluded.fingerprint, status = excluded.status, headers = excluded.headers, body = excluded.body,
    created_at = excluded.created_at, expires_at = excluded.expires_at
  WHERE k.expires_at < now()`,
  values: (it) => [it.userId, it.operationId, it.key, it.fingerprint],
});

export type FindStoredResponseParameters = {
  readonly userId: string;
  readonly operationId: string;
  readonly key: string;
};
export type FindStoredResponseRow = {
  readonly fingerprint: Uint8Array;
  readonly status: number;
  readonly headers: string;
  readonly body: string;
};
/** In SQL because a retry reads it in the place of its effect. */
export const findStoredResponse = one<FindStoredResponseParameters, FindStoredResponseRow>({
  name: "find_stored_response",
  text: `SELECT fingerprint, status, headers::text AS "headers!", body FROM idempotency_keys
WHERE user_id = $1 AND operation_id = $2 AND key = $3`,
  values: (it) => [it.userId, it.operationId, it.key],
  row: (it) => ({ fingerprint: it[0], status: it[1], headers: it[2], body: it[3] }) as FindStoredResponseRow,
});

export type PurgeIdempotencyKeysParameters = {
  readonly batch: number;
};
/** A key that a request is claiming is locked, and stays. */
export const purgeIdempotencyKeys = affectedRows<PurgeIdempotencyKeysParameters>({
  name: "purge_idempotency_keys",
  text: `DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM idempotency_keys WHERE expires_at < now() ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
  values: (it) => [it.batch],
});
