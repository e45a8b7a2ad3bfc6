import * as sql from "#generated/sql/urls.ts";
import type { Tx } from "../database/client.ts";
import { sqlState } from "../database/database-failure.ts";
import { purge } from "../database/purge.ts";
import { RETENTION_DAYS, type Day } from "./days.ts";

export {
  eraseUrls,
  findClicks,
  findOwnUrl,
  findOwnUrls,
  findTarget,
  insertUrl,
  lockOwnUrl,
  type FindClicksRow as ClickDayRow,
  type FindOwnUrlRow as ShortUrlRow,
} from "#generated/sql/urls.ts";

/** Marks a short URL as deleted. The row stays, so that its short code is never reused. */
export async function removeUrl(tx: Tx, id: string): Promise<void> {
  await tx.shortUrl.updateMany({ where: { id }, data: { deletedAt: new Date() } });
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

/** Removes days after their retention, and returns their number. */
export const purgeClickDays = (tx: Tx) => purge((batch) => sql.purgeClickDays(tx, { retentionDays: RETENTION_DAYS, batch }));

const INVALID_PARAMETER = "22023";

/** The status of a transaction. A transaction that is unknown after a failover counts as aborted. */
export async function findOutcome(tx: Tx, transactionId: string): Promise<"committed" | "aborted" | "in progress"> {
  try {
    const { status } = await sql.findOutcome(tx, { transactionId });
    // Null for very old transactions. It is better to lose clicks than to count them twice.
    return (status as "committed" | "aborted" | "in progress" | null) ?? "committed";
  } catch (error) {
    if (sqlState(error) === INVALID_PARAMETER) return "aborted";
    throw error;
  }
}
