// Generated: do not edit, run `npm run generate`. From src/urls/store.sql.

import { page } from "../../src/database/keyset.ts";
import { affectedRows, exactlyOne, one } from "../../src/database/statement.ts";

export type InsertUrlParameters = {
  readonly id: string;
  readonly ownerId: string;
  readonly targetUrl: string;
  readonly expiresAt: string | null;
  readonly key: string | null;
  readonly userId: string | null;
  readonly operationId: string | null;
  readonly fingerprint: Uint8Array | null;
  readonly status: number | null;
  readonly headers: string | null;
  readonly response: string | null;
  readonly placeholder: string | null;
};
export type InsertUrlRow = {
  readonly createdAt: string;
};
/** Inserts a short URL, with its key if there is one. Fails if the short code is or was in use. In SQL as `insertPost` is. */
export const insertUrl = one<InsertUrlParameters, InsertUrlRow>({
  name: "insert_url",
  text: `INSERT INTO short_urls (id, owner_id, target_url, expires_at) SELECT $1, $2::uuid, $3, $4::timestamptz
WHERE CASE WHEN $5::text IS NULL THEN true
  ELSE claim_key($6, $7, $5, $8, $9, $10, $11, $12) END
RETURNING created_at`,
  values: (it) => [it.id, it.ownerId, it.targetUrl, it.expiresAt, it.key, it.userId, it.operationId, it.fingerprint, it.status, it.headers, it.response, it.placeholder],
  row: (it) => ({ createdAt: it[0] }) as InsertUrlRow,
});

export type FindOwnUrlParameters = {
  readonly ownerId: string;
  readonly id: string;
};
export type FindOwnUrlRow = {
  readonly id: string;
  readonly targetUrl: string;
  readonly clickCount: number;
  readonly lastClickedAt: string | null;
  readonly expiresAt: string | null;
  readonly createdAt: string;
};
/** In SQL because clients read a short URL more often than anything else. */
export const findOwnUrl = one<FindOwnUrlParameters, FindOwnUrlRow>({
  name: "find_own_url",
  text: `SELECT id, target_url, click_count, last_clicked_at, expires_at, created_at FROM short_urls
WHERE owner_id = $1 AND id = $2 AND deleted_at IS NULL`,
  values: (it) => [it.ownerId, it.id],
  row: (it) => ({ id: it[0], targetUrl: it[1], clickCount: it[2], lastClickedAt: it[3], expiresAt: it[4], createdAt: it[5] }) as FindOwnUrlRow,
});

export type FindOwnUrlsParameters = {
  readonly ownerId: string;
  readonly createdAt: string;
  readonly id: string;
  readonly limit: number;
};
export type FindOwnUrlsRow = {
  readonly id: string;
  readonly targetUrl: string;
  readonly clickCount: number;
  readonly lastClickedAt: string | null;
  readonly expiresAt: string | null;
  readonly createdAt: string;
};
/** In SQL so that all reads of short URLs have the same row. */
export const findOwnUrls = page<FindOwnUrlsParameters, FindOwnUrlsRow>({
  name: "find_own_urls",
  text: {
    asc: `SELECT id, target_url, click_count, last_clicked_at, expires_at, created_at FROM short_urls
WHERE owner_id = $1 AND deleted_at IS NULL AND (created_at, id) > ($2, $3)
ORDER BY created_at ASC, id ASC LIMIT (SELECT $4::int)`,
    desc: `SELECT id, target_url, click_count, last_clicked_at, expires_at, created_at FROM short_urls
WHERE owner_id = $1 AND deleted_at IS NULL AND (created_at, id) < ($2, $3)
ORDER BY created_at DESC, id DESC LIMIT (SELECT $4::int)`,
  },
  values: (it) => [it.ownerId, it.createdAt, it.id, it.limit],
  row: (it) => ({ id: it[0], targetUrl: it[1], clickCount: it[2], lastClickedAt: it[3], expiresAt: it[4], createdAt: it[5] }) as FindOwnUrlsRow,
});

export type FindTargetParameters = {
  readonly id: string;
};
export type FindTargetRow = {
  readonly targetUrl: string;
  readonly deletedAt: string | null;
  readonly expiresAt: string | null;
};
/** The target of a short URL of any owner, even if it is deleted. In SQL because every redirect reads it. */
export const findTarget = one<FindTargetParameters, FindTargetRow>({
  name: "find_target",
  text: `SELECT target_url, deleted_at, expires_at FROM short_urls WHERE id = $1`,
  values: (it) => [it.id],
  row: (it) => ({ targetUrl: it[0], deletedAt: it[1], expiresAt: it[2] }) as FindTargetRow,
});

export type AddClicksParameters = {
  readonly ids: readonly string[];
  readonly counts: readonly number[];
  readonly lastAts: readonly string[];
};
export type AddClicksRow = {
  readonly transactionId: string;
};
/** Adds clicks to many short URLs, and returns the id of the transaction. */
export const addClicks = exactlyOne<AddClicksParameters, AddClicksRow>({
  name: "add_clicks",
  text: `WITH counted AS (
  UPDATE short_urls AS u
  SET click_count = u.click_count + c.count, last_clicked_at = greatest(u.last_clicked_at, c.last_at)
  FROM unnest((SELECT $1::text[]), (SELECT $2::int[]), (SELECT $3::timestamptz[])) AS c (id, count, last_at)
  WHERE u.id = c.id)
SELECT pg_current_xact_id()::text AS "transaction_id!"`,
  values: (it) => [it.ids, it.counts, it.lastAts],
  row: (it) => ({ transactionId: it[0] }) as AddClicksRow,
});

export type FindOutcomeParameters = {
  readonly transactionId: string;
};
export type FindOutcomeRow = {
  readonly status: string | null;
};
/** What has become of a transaction. After a failover, the new server may not have it. */
export const findOutcome = exactlyOne<FindOutcomeParameters, FindOutcomeRow>({
  name: "find_outcome",
  text: `SELECT pg_xact_status($1) AS status`,
  values: (it) => [it.transactionId],
  row: (it) => ({ status: it[0] }) as FindOutcomeRow,
});

export type EraseUrlsParameters = {
  readonly nobody: string;
  readonly userId: string;
  readonly batch: number;
};
/** Removes what belongs to some short URLs except their codes, which are never used again. */
export const eraseUrls = affectedRows<EraseUrlsParameters>({
  name: "erase_urls",
  text: `UPDATE short_urls SET owner_id = $1, target_url = '', click_count = 0, last_clicked_at = NULL, expires_at = NULL,
  deleted_at = coalesce(deleted_at, now()), created_at = '2000-01-01Z'
WHERE id IN (SELECT id FROM short_urls WHERE owner_id = $2 LIMIT $3)`,
  values: (it) => [it.nobody, it.userId, it.batch],
});
