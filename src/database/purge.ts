import { purgeRateLimits as removeRateLimits } from "#generated/sql/rate-limits.ts";
import type { Tx } from "./client.ts";

const BATCH_SIZE = 1_000;

/** Runs a statement that removes at most `batch` rows until it removes fewer, and returns how many it has removed. */
export async function purge(remove: (batch: number) => Promise<number>): Promise<number> {
  for (let purged = 0; ;) {
    const removed = await remove(BATCH_SIZE);
    purged += removed;
    if (removed < BATCH_SIZE) return purged;
  }
}

/** Removes expired rate limit counters in batches, and returns their number. */
export const purgeRateLimits = (tx: Tx): Promise<number> => purge((batch) => removeRateLimits(tx, { nowMs: Date.now(), batch }));
