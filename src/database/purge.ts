import { Prisma } from "#generated/prisma/client.ts";
import type { Tx } from "./client.ts";

const BATCH_SIZE = 1_000;

/**
 * Removes the rows of `table` that `expired` selects, and returns their number. `expired` is a condition followed by its
 * ORDER BY. Each statement removes one batch, until a batch is not full. Locked rows are skipped.
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
