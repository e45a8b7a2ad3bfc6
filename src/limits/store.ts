import { countRequests, purgeRateLimits as removeExpired } from "#generated/sql/limits.ts";
import type { Tx } from "../database/client.ts";
import { purge } from "../database/purge.ts";
import type { Runner } from "../database/statement.ts";
import { RATE_LIMIT_NAMES } from "../settings/values.ts";
import { createBatches } from "../util/batches.ts";
import type { Count, CountShared } from "./rate-limiter.ts";

const BATCH_MAX = 500;

/** Counts requests for all processes. Requests during one statement share the next, and each gets its own count. */
export function createSharedCounts(pool: Runner): CountShared {
  return createBatches<Parameters<CountShared>[0], Count>(
    async (batch) => {
      const byKey = [...Map.groupBy(batch, (it) => it.key)];
      const windows = byKey.map(([, of]) => of[0]!.windowSeconds);
      const [keys, points] = [byKey.map(([key]) => key), byKey.map(([, of]) => of.length)];
      const rows = await countRequests(pool, { keys, points, windowsSeconds: windows });
      const counted = new Map(rows.map(({ key, points, leftMs }) => [key, { points, leftMs }]));
      // The first request of a batch gets the lowest count.
      const left = new Map(byKey.map(([key, of]) => [key, of.length]));
      return batch.map(({ key }) => {
        const { points, leftMs } = counted.get(key)!;
        left.set(key, left.get(key)! - 1);
        return { points: points - left.get(key)!, leftMs };
      });
    },
    { max: BATCH_MAX },
  );
}

/** Removes expired counts, and returns their number. */
export const purgeRateLimits = (tx: Tx): Promise<number> => purge((batch) => removeExpired(tx, { nowMs: Date.now(), batch }));

/** Removes the counts of an erased user. */
export async function removeRateLimitsOf(tx: Tx, userId: string): Promise<number> {
  const { count } = await tx.rateLimit.deleteMany({ where: { key: { in: RATE_LIMIT_NAMES.map((it) => `${it}:${userId}`) } } });
  return count;
}
