import { Prisma } from "#generated/prisma/client.ts";
import type { Tx } from "../database/client.ts";
import { purge } from "../database/purge.ts";
import { statement, unplanned } from "../database/old-statement.ts";
import type { Runner } from "../database/statement.ts";
import { RATE_LIMIT_NAMES } from "../settings/values.ts";
import { createBatches } from "../util/batches.ts";
import type { Count, CountShared } from "./limiter.ts";

const BATCH_MAX = 500;
const NOW_MS = "(extract(epoch FROM statement_timestamp()) * 1000)::bigint";

/** In SQL because every write waits for it. In the order of the keys, so that two processes cannot deadlock. */
const COUNT = statement({
  name: "count_requests",
  takes: ["text[]", "int[]", "int[]"],
  gives: { key: "text", points: "int", leftMs: "bigint" },
  text: `INSERT INTO rate_limits AS r (key, points, expire)
    SELECT key, points, ${NOW_MS} + window_seconds * 1000::bigint
    FROM unnest(${unplanned("$1", "text[]")}, ${unplanned("$2", "int[]")}, ${unplanned("$3", "int[]")}) AS given (key, points, window_seconds)
    ORDER BY key
    ON CONFLICT (key) DO UPDATE SET
      points = excluded.points + CASE WHEN r.expire > ${NOW_MS} THEN r.points ELSE 0 END,
      expire = CASE WHEN r.expire > ${NOW_MS} THEN r.expire ELSE excluded.expire END
    RETURNING key, points, expire - ${NOW_MS} AS left_ms`,
});

/** Counts requests for all processes. Those that arrive during one statement share the next one, and each gets its own count. */
export function createSharedCounts(pool: Runner): CountShared {
  return createBatches<Parameters<CountShared>[0], Count>(
    async (batch) => {
      const byKey = [...Map.groupBy(batch, (it) => it.key)];
      const windows = byKey.map(([, of]) => of[0]!.windowSeconds);
      const rows = await COUNT(
        pool,
        byKey.map(([key]) => key),
        byKey.map(([, of]) => of.length),
        windows,
      );
      const counted = new Map(rows.map(({ key, points, leftMs }) => [key, { points, leftMs }]));
      // The first of a batch gets the lowest count.
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

/** Removes expired counts in batches, and returns their number. The library would use one long statement. */
export function purgeRateLimits(tx: Tx): Promise<number> {
  return purge(tx, "rate_limits", Prisma.sql`expire < ${BigInt(Date.now())} ORDER BY expire`);
}

/** Removes the counts of a user who is deleted. */
export async function removeRateLimitsOf(tx: Tx, userId: string): Promise<void> {
  await tx.rateLimit.deleteMany({ where: { key: { in: RATE_LIMIT_NAMES.map((it) => `${it}:${userId}`) } } });
}
