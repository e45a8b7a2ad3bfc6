import { Prisma } from "#generated/prisma/client.ts";
import type { Tx } from "./client.ts";

const BATCH_SIZE = 1_000;

/**
 * Removes the rows of `table` that `expired` selects, a condition with its ORDER BY, and returns how many. It does so in
 * batches of one statement each, until one is not full, and skips rows that are locked.
 */
export async function purge(tx: Tx, table: string, expired: Prisma.Sql, batchSize = BATCH_SIZE): Promise<number> {
  const name = Prisma.raw(table);
  for (let purged = 0; ;) {
    const removed = await tx.$executeRaw`
      DELETE FROM ${name} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${name} WHERE ${expired} LIMIT ${batchSize} FOR UPDATE SKIP LOCKED))`;
    purged += removed;
    if (removed < batchSize) return purged;
  }
}

/** Removes expired rate limit counters, and returns how many. The library would remove them in one statement. */
export function purgeRateLimits(tx: Tx): Promise<number> {
  return purge(tx, "rate_limits", Prisma.sql`expire < ${BigInt(Date.now())} ORDER BY expire`);
}
