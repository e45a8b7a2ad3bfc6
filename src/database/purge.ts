import type { Tx } from "./client.ts";

const BATCH_SIZE = 1_000;

/** Removes rows in batches, one statement each, until a batch is not full; returns how many rows it removed. */
export async function inBatches(removeBatch: (size: number) => Promise<number>, size = BATCH_SIZE): Promise<number> {
  for (let [purged, removed] = [0, 0]; ;) {
    removed = await removeBatch(size);
    purged += removed;
    if (removed < size) return purged;
  }
}

/** Removes expired rate limit counters in batches, and returns how many. The library would remove them in one statement. */
export function purgeRateLimits(tx: Tx, batchSize?: number): Promise<number> {
  return inBatches(
    (size) => tx.$executeRaw`
      DELETE FROM rate_limits WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM rate_limits WHERE expire < ${BigInt(Date.now())} ORDER BY expire LIMIT ${size} FOR UPDATE SKIP LOCKED))`,
    batchSize,
  );
}
