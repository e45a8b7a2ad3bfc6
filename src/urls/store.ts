import * as sql from "#generated/sql/urls.ts";
import type { Tx } from "../database/client.ts";
import { sqlState } from "../database/database-failure.ts";
import { purge } from "../database/purge.ts";
import { DAYS_KEPT, type Day } from "./days.ts";

export {
  eraseUrls,
  findClicks,
  findOwnUrl,
  findOwnUrls,
  findTarget,
  insertUrl,
  type FindClicksRow as ClickDayRow,
  type FindOwnUrlRow as ShortUrlRow,
} from "#generated/sql/urls.ts";

/** Marks a short URL as deleted, and returns whether there was one. The row stays, so that its short code is never used again. */
export async function removeOwnUrl(tx: Tx, ownerId: string, id: string): Promise<boolean> {
  const { count } = await tx.shortUrl.updateMany({ where: { id, ownerId, deletedAt: null }, data: { deletedAt: new Date() } });
  return count === 1;
}

export type Clicks = { readonly id: string; readonly count: number; readonly lastAt: Date };

/** Adds the clicks of one day to many short URLs in one statement, and returns the id of the transaction. */
export async function addClicks(tx: Tx, day: Day, clicks: readonly Clicks[]): Promise<string> {
  const { transactionId } = await sql.addClicks(tx, {
    day,
    ids: clicks.map((it) => it.id),
    counts: clicks.map((it) => it.count),
    lastAts: clicks.map((it) => it.lastAt.toISOString()),
  });
  return transactionId;
}

/** Removes the days that are no longer kept, and returns how many there were. */
export const purgeClickDays = (tx: Tx) => purge((batch) => sql.purgeClickDays(tx, { daysKept: DAYS_KEPT, batch }));

const INVALID_PARAMETER = "22023";

/** What has become of a transaction. After a failover, the new server may not have it; then it counts as aborted. */
export async function findOutcome(tx: Tx, transactionId: string): Promise<"committed" | "aborted" | "in progress"> {
  try {
    const { status } = await sql.findOutcome(tx, { transactionId });
    // PostgreSQL forgets those that are very old, and to lose clicks is better than to count them twice.
    return (status as "committed" | "aborted" | "in progress" | null) ?? "committed";
  } catch (error) {
    if (sqlState(error) === INVALID_PARAMETER) return "aborted";
    throw error;
  }
}
