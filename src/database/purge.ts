import type { Tx } from "./client.ts";

const BATCH_SIZE = 1_000;

/** Removes batch after batch until one is not full, each in a statement of its own, and says how many rows there were. */
export async function inBatches(removeBatch: (size: number) => Promise<number>, size = BATCH_SIZE): Promise<number> {
  for (let [purged, removed] = [0, 0]; ;) {
    removed = await removeBatch(size);
    purged += removed;
    if (removed < size) return purged;
  }
}

/** Removes counters whose window is over, and says how many. The library's own removal is one statement over all of them. */
export function purgeRateLimits(tx: Tx, batchSize?: number): Promise<number> {
  return inBatches(
    (size) => tx.$executeRaw`
      DELETE FROM rate_limits WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM rate_limits WHERE expire < ${BigInt(Date.now())} ORDER BY expire LIMIT ${size} FOR UPDATE SKIP LOCKED))`,
    batchSize,
  );
}
