// Generated: do not edit, run `npm run generate`. From src/idempotency/store.sql.

import { affectedRows, exactlyOne, one } from "../../src/database/statement.ts";

export type ClaimKeyParameters = {
  readonly userId: string;
  readonly operationId: string;
  readonly key: string;
  readonly fingerprint: Uint8Array;
};
export type ClaimKeyRow = {
  readonly isClaimed: boolean;
};
/** Claims a key. The response is stored later in the same transaction. */
export const claimKey = exactlyOne<ClaimKeyParameters, ClaimKeyRow>({
  name: "claim_key",
  text: `SELECT claim_key($1, $2, $3, $4, 0, '{}', '', '') AS "is_claimed!"`,
  values: (it) => [it.userId, it.operationId, it.key, it.fingerprint],
  columns: ["bool"],
  row: (it) => ({ isClaimed: it[0] }) as ClaimKeyRow,
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
/** In SQL because each retry reads it. */
export const findStoredResponse = one<FindStoredResponseParameters, FindStoredResponseRow>({
  name: "find_stored_response",
  text: `SELECT fingerprint, status, headers::text AS "headers!", body FROM idempotency_keys
WHERE user_id = $1 AND operation_id = $2 AND key = $3`,
  values: (it) => [it.userId, it.operationId, it.key],
  columns: ["bytea", "int4", "text", "text"],
  row: (it) => ({ fingerprint: it[0], status: it[1], headers: it[2], body: it[3] }) as FindStoredResponseRow,
});

export type PurgeIdempotencyKeysParameters = {
  readonly batch: number;
};
/** It checks a key again after a wait, because a request may have claimed it. The condition without a time zone fits no index, so that
 * PostgreSQL reads one batch, and not all expired keys. */
export const purgeIdempotencyKeys = affectedRows<PurgeIdempotencyKeysParameters>({
  name: "purge_idempotency_keys",
  text: `DELETE FROM idempotency_keys WHERE expires_at AT TIME ZONE 'UTC' < now() AT TIME ZONE 'UTC' AND (user_id, operation_id, key) IN (
  SELECT user_id, operation_id, key FROM idempotency_keys WHERE expires_at < now() ORDER BY expires_at LIMIT $1)`,
  values: (it) => [it.batch],
});
