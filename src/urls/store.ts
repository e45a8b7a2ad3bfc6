import type { Tx } from "../database/client.ts";
import { sqlState } from "../database/database-failure.ts";
import { BY_CREATION, listStatement } from "../database/keyset.ts";
import { columnsOf, rowStatement, type RowOf } from "../database/statement.ts";
import { keyedInsert } from "../idempotency/store.ts";

const SHORT_URL = {
  id: "text",
  targetUrl: "text",
  clickCount: "bigint",
  lastClickedAt: "instant?",
  expiresAt: "instant?",
  createdAt: "instant",
} as const;
export type ShortUrlRow = RowOf<typeof SHORT_URL>;
const COLUMNS = columnsOf(SHORT_URL);

/** In SQL because Prisma would need a transaction for the short URL and its key. Fails if the short code is or was in use. */
export const insertUrl = keyedInsert({
  name: "insert_url",
  table: "short_urls",
  columns: { id: "text", ownerId: "uuid", targetUrl: "text", expiresAt: "instant?" },
});

/** In SQL because clients read a short URL more often than anything else. */
export const findOwnUrl = rowStatement({
  name: "find_own_url",
  takes: ["uuid", "text"],
  gives: SHORT_URL,
  text: `SELECT ${COLUMNS} FROM short_urls WHERE owner_id = $1::uuid AND id = $2 AND deleted_at IS NULL`,
});

/** In SQL so that all reads of short URLs have the same row. */
export const findOwnUrls = listStatement({
  name: "find_own_urls",
  takes: ["uuid"],
  gives: SHORT_URL,
  order: BY_CREATION,
  text: ({ andAfter, orderAndLimit }) =>
    `SELECT ${COLUMNS} FROM short_urls WHERE owner_id = $1::uuid AND deleted_at IS NULL ${andAfter} ${orderAndLimit}`,
});

/** The target of a short URL of any owner, even if it is deleted. In SQL because every redirect reads it. */
export const findTarget = rowStatement({
  name: "find_target",
  takes: ["text"],
  gives: { targetUrl: "text", deletedAt: "instant?", expiresAt: "instant?" },
  text: "SELECT target_url, deleted_at, expires_at FROM short_urls WHERE id = $1",
});

/** Marks a short URL as deleted, and returns whether there was one. The row stays, so that its short code is never used again. */
export async function removeOwnUrl(tx: Tx, ownerId: string, id: string): Promise<boolean> {
  const { count } = await tx.shortUrl.updateMany({ where: { id, ownerId, deletedAt: null }, data: { deletedAt: new Date() } });
  return count === 1;
}

export type Clicks = { readonly id: string; readonly count: number; readonly lastAt: Date };

/** Adds clicks to many short URLs in one statement, and returns the id of the transaction. */
export async function addClicks(tx: Tx, clicks: readonly Clicks[]): Promise<string> {
  const [row] = await tx.$queryRaw<{ id: string }[]>`
    WITH counted AS (
      UPDATE short_urls AS u
      SET click_count = u.click_count + c.count, last_clicked_at = greatest(u.last_clicked_at, c.last_at)
      FROM unnest(${clicks.map((it) => it.id)}::text[], ${clicks.map((it) => it.count)}::int[], ${clicks.map((it) => it.lastAt)}::timestamptz[]) AS c (id, count, last_at)
      WHERE u.id = c.id)
    SELECT pg_current_xact_id()::text AS id`;
  return row!.id;
}

const INVALID_PARAMETER = "22023";

/** What has become of a transaction. After a failover, the new server may not have it; then it counts as aborted. */
export async function findOutcome(tx: Tx, transactionId: string): Promise<"committed" | "aborted" | "in progress"> {
  type Row = { readonly status: "committed" | "aborted" | "in progress" | null };
  try {
    const [row] = await tx.$queryRaw<Row[]>`SELECT pg_xact_status(${transactionId}::xid8) AS status`;
    // PostgreSQL forgets those that are very old, and to lose clicks is better than to count them twice.
    return row!.status ?? "committed";
  } catch (error) {
    if (sqlState(error) === INVALID_PARAMETER) return "aborted";
    throw error;
  }
}
