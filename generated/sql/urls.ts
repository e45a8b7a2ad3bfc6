// Generated: do not edit, run `npm run generate`. From src/urls/store.sql.

import { page } from "../../src/pagination/keyset.ts";
import { affectedRows, exactlyOne, many, one } from "../../src/database/statement.ts";

export type InsertUrlParameters = {
  readonly id: string;
  readonly ownerId: string;
  readonly targetUrl: string;
  readonly expiresAt: string | null;
  readonly expiredUrl: string | null;
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
  text: `INSERT INTO short_urls (id, owner_id, target_url, expires_at, expired_url)
SELECT $1, $2::uuid, $3, $4::timestamptz, $5
WHERE CASE WHEN $6::text IS NULL THEN true
  ELSE claim_key($7, $8, $6, $9, $10, $11, $12, $13) END
RETURNING created_at`,
  values: (it) => [it.id, it.ownerId, it.targetUrl, it.expiresAt, it.expiredUrl, it.key, it.userId, it.operationId, it.fingerprint, it.status, it.headers, it.response, it.placeholder],
  columns: ["timestamptz"],
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
  readonly expiredUrl: string | null;
  readonly createdAt: string;
};
/** The second statement locks it until the transaction ends. In SQL because clients read a short URL more often than anything else. */
export const findOwnUrl = one<FindOwnUrlParameters, FindOwnUrlRow>({
  name: "find_own_url",
  text: `SELECT id, target_url, click_count, last_clicked_at, expires_at, expired_url, created_at FROM short_urls
WHERE owner_id = $1 AND id = $2 AND deleted_at IS NULL`,
  values: (it) => [it.ownerId, it.id],
  columns: ["varchar", "text", "int8", "timestamptz", "timestamptz", "text", "timestamptz"],
  row: (it) => ({ id: it[0], targetUrl: it[1], clickCount: it[2], lastClickedAt: it[3], expiresAt: it[4], expiredUrl: it[5], createdAt: it[6] }) as FindOwnUrlRow,
});

export type LockOwnUrlParameters = {
  readonly ownerId: string;
  readonly id: string;
};
export type LockOwnUrlRow = {
  readonly id: string;
  readonly targetUrl: string;
  readonly clickCount: number;
  readonly lastClickedAt: string | null;
  readonly expiresAt: string | null;
  readonly expiredUrl: string | null;
  readonly createdAt: string;
};
/** The second statement locks it until the transaction ends. In SQL because clients read a short URL more often than anything else. */
export const lockOwnUrl = one<LockOwnUrlParameters, LockOwnUrlRow>({
  name: "lock_own_url",
  text: `SELECT id, target_url, click_count, last_clicked_at, expires_at, expired_url, created_at FROM short_urls
WHERE owner_id = $1 AND id = $2 AND deleted_at IS NULL FOR UPDATE`,
  values: (it) => [it.ownerId, it.id],
  columns: ["varchar", "text", "int8", "timestamptz", "timestamptz", "text", "timestamptz"],
  row: (it) => ({ id: it[0], targetUrl: it[1], clickCount: it[2], lastClickedAt: it[3], expiresAt: it[4], expiredUrl: it[5], createdAt: it[6] }) as LockOwnUrlRow,
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
  readonly expiredUrl: string | null;
  readonly createdAt: string;
};
/** In SQL so that all reads of short URLs have the same row. */
export const findOwnUrls = page<FindOwnUrlsParameters, FindOwnUrlsRow>({
  name: "find_own_urls",
  text: {
    asc: `SELECT id, target_url, click_count, last_clicked_at, expires_at, expired_url, created_at FROM short_urls
WHERE owner_id = $1 AND deleted_at IS NULL AND (created_at, id) > ($2, $3)
ORDER BY created_at ASC, id ASC LIMIT $4`,
    desc: `SELECT id, target_url, click_count, last_clicked_at, expires_at, expired_url, created_at FROM short_urls
WHERE owner_id = $1 AND deleted_at IS NULL AND (created_at, id) < ($2, $3)
ORDER BY created_at DESC, id DESC LIMIT $4`,
  },
  limit: 4,
  values: (it) => [it.ownerId, it.createdAt, it.id, it.limit],
  columns: ["varchar", "text", "int8", "timestamptz", "timestamptz", "text", "timestamptz"],
  row: (it) => ({ id: it[0], targetUrl: it[1], clickCount: it[2], lastClickedAt: it[3], expiresAt: it[4], expiredUrl: it[5], createdAt: it[6] }) as FindOwnUrlsRow,
});

export type FindTargetParameters = {
  readonly id: string;
};
export type FindTargetRow = {
  readonly targetUrl: string;
  readonly deletedAt: string | null;
  readonly expiresAt: string | null;
  readonly expiredUrl: string | null;
};
/** The target of a short URL of any owner, even if it is deleted. In SQL because every redirect reads it. */
export const findTarget = one<FindTargetParameters, FindTargetRow>({
  name: "find_target",
  text: `SELECT target_url, deleted_at, expires_at, expired_url FROM short_urls WHERE id = $1`,
  values: (it) => [it.id],
  columns: ["text", "timestamptz", "timestamptz", "text"],
  row: (it) => ({ targetUrl: it[0], deletedAt: it[1], expiresAt: it[2], expiredUrl: it[3] }) as FindTargetRow,
});

export type AddClicksParameters = {
  readonly ids: readonly string[];
  readonly counts: readonly number[];
  readonly lastAts: readonly string[];
  readonly day: string;
};
export type AddClicksRow = {
  readonly transactionId: string;
};
/** Adds the clicks of one day to many short URLs, and returns the id of the transaction. It locks a short URL before the row of its day,
 * so that a short URL that was deleted during the wait gets no clicks. */
export const addClicks = exactlyOne<AddClicksParameters, AddClicksRow>({
  name: "add_clicks",
  text: `WITH counted AS (
  UPDATE short_urls AS u
  SET click_count = u.click_count + c.count, last_clicked_at = greatest(u.last_clicked_at, c.last_at)
  FROM unnest((SELECT $1::text[]), (SELECT $2::int[]), (SELECT $3::timestamptz[])) AS c (id, count, last_at)
    WHERE u.id = c.id AND u.deleted_at IS NULL AND (SELECT count(*)) = 1
  RETURNING u.id, c.count),
counted_days AS (
  INSERT INTO click_days AS d (short_url_id, day, click_count) SELECT id, $4::text::date, count FROM counted
  ON CONFLICT (short_url_id, day) DO UPDATE SET click_count = d.click_count + excluded.click_count)
SELECT pg_current_xact_id()::text AS "transaction_id!"`,
  values: (it) => [it.ids, it.counts, it.lastAts, it.day],
  columns: ["text"],
  row: (it) => ({ transactionId: it[0] }) as AddClicksRow,
});

export type FindClicksParameters = {
  readonly id: string;
  readonly from: string;
  readonly to: string;
};
export type FindClicksRow = {
  readonly date: string;
  readonly clickCount: number;
};
/** The days with a click, and the number of clicks. */
export const findClicks = many<FindClicksParameters, FindClicksRow>({
  name: "find_clicks",
  text: `SELECT to_char(day, 'YYYY-MM-DD') AS "date!", click_count FROM click_days
WHERE short_url_id = $1 AND day BETWEEN $2::text::date AND $3::text::date`,
  values: (it) => [it.id, it.from, it.to],
  columns: ["text", "int8"],
  row: (it) => ({ date: it[0], clickCount: it[1] }) as FindClicksRow,
});

export type PurgeClickDaysParameters = {
  readonly retentionDays: number;
  readonly batch: number;
};
/** Keeps one day more than responses show, because the clocks of processes differ. */
export const purgeClickDays = affectedRows<PurgeClickDaysParameters>({
  name: "purge_click_days",
  text: `DELETE FROM click_days WHERE (short_url_id, day) IN (
  SELECT short_url_id, day FROM click_days WHERE day < (now() AT TIME ZONE 'UTC')::date - $1::int ORDER BY day LIMIT $2)`,
  values: (it) => [it.retentionDays, it.batch],
});

export type FindOutcomeParameters = {
  readonly transactionId: string;
};
export type FindOutcomeRow = {
  readonly status: string | null;
};
/** The outcome of a transaction. After a failover, the new server may not know it. */
export const findOutcome = exactlyOne<FindOutcomeParameters, FindOutcomeRow>({
  name: "find_outcome",
  text: `SELECT pg_xact_status($1) AS status`,
  values: (it) => [it.transactionId],
  columns: ["text"],
  row: (it) => ({ status: it[0] }) as FindOutcomeRow,
});

export type EraseUrlsParameters = {
  readonly deletedUserId: string;
  readonly userId: string;
  readonly batch: number;
};
/** Removes the data of some short URLs, except their codes, which are never used again. A trigger removes their days. */
export const eraseUrls = affectedRows<EraseUrlsParameters>({
  name: "erase_urls",
  text: `UPDATE short_urls SET owner_id = $1, target_url = '', click_count = 0, last_clicked_at = NULL, expires_at = NULL,
  expired_url = NULL, deleted_at = least(deleted_at, now()), created_at = '2000-01-01Z'
WHERE id IN (SELECT id FROM short_urls WHERE owner_id = $2 LIMIT $3)`,
  values: (it) => [it.deletedUserId, it.userId, it.batch],
});
