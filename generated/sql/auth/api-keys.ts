// Generated: do not edit, run `npm run generate`. From src/auth/api-keys.sql.

import { many, one } from "../../../src/database/statement.ts";

export type FindApiKeysParameters = {
  readonly ids: readonly string[];
};
export type FindApiKeysRow = {
  readonly id: string;
  readonly userId: string;
  readonly displayName: string;
  readonly scopes: readonly string[];
  readonly secretHash: Uint8Array;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
};
/** In SQL because it is on the path of each request whose credential is no longer cached. */
export const findApiKeys = many<FindApiKeysParameters, FindApiKeysRow>({
  name: "find_api_keys",
  text: `SELECT k.id, k.user_id, u.display_name AS "display_name!", k.scopes AS "scopes!", k.secret_hash, k.expires_at, k.revoked_at
FROM api_keys k JOIN people u ON u.id = k.user_id WHERE k.id = ANY ((SELECT $1::text[])::text[])`,
  values: (it) => [it.ids],
  columns: ["varchar", "uuid", "varchar", "_text", "bytea", "timestamptz", "timestamptz"],
  row: (it) => ({ id: it[0], userId: it[1], displayName: it[2], scopes: it[3], secretHash: it[4], expiresAt: it[5], revokedAt: it[6] }) as FindApiKeysRow,
});

export type LockApiKeyParameters = {
  readonly id: string;
};
export type LockApiKeyRow = {
  readonly id: string;
};
/** Locks a valid key, so that it can't be revoked before the transaction ends. */
export const lockApiKey = one<LockApiKeyParameters, LockApiKeyRow>({
  name: "lock_api_key",
  text: `SELECT id FROM api_keys WHERE id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()) FOR SHARE`,
  values: (it) => [it.id],
  columns: ["varchar"],
  row: (it) => ({ id: it[0] }) as LockApiKeyRow,
});

export type ShortenApiKeyParameters = {
  readonly graceSeconds: number;
  readonly id: string;
};
export type ShortenApiKeyRow = {
  readonly userId: string;
  readonly scopes: readonly string[];
  readonly expiresAt: string;
};
/** Lets a valid key expire after a grace period at the latest. No row if the key is unknown or no longer valid. */
export const shortenApiKey = one<ShortenApiKeyParameters, ShortenApiKeyRow>({
  name: "shorten_api_key",
  text: `UPDATE api_keys SET expires_at = least(expires_at, now() + make_interval(secs => $1))
WHERE id = $2 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
RETURNING user_id, scopes AS "scopes!", expires_at AS "expires_at!"`,
  values: (it) => [it.graceSeconds, it.id],
  columns: ["uuid", "_text", "timestamptz"],
  row: (it) => ({ userId: it[0], scopes: it[1], expiresAt: it[2] }) as ShortenApiKeyRow,
});

export type ExpireApiKeyParameters = {
  readonly at: string | null;
  readonly id: string;
};
export type ExpireApiKeyRow = {
  readonly expiresAt: string;
};
/** Lets a valid key expire at an instant, or now. */
export const expireApiKey = one<ExpireApiKeyParameters, ExpireApiKeyRow>({
  name: "expire_api_key",
  text: `UPDATE api_keys SET expires_at = coalesce($1, now())
WHERE id = $2 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
RETURNING expires_at AS "expires_at!"`,
  values: (it) => [it.at, it.id],
  columns: ["timestamptz"],
  row: (it) => ({ expiresAt: it[0] }) as ExpireApiKeyRow,
});
