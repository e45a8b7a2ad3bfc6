import { countRequests } from "#generated/sql/rate-limits.ts";
import { createBatches } from "../util/batches.ts";
import type { Runner } from "./statement.ts";

type Counted = { readonly key: string; readonly windowSeconds: number };
type Count = { readonly points: number; readonly leftMs: number };

const BATCH_MAX = 500;

/** Counts requests for all processes. Those that arrive during one statement share the next one, and each gets its own count. */
export function createSharedCounts(pool: Runner): (it: Counted) => Promise<Count> {
  return createBatches<Counted, Count>(
    async (batch) => {
      const byKey = [...Map.groupBy(batch, (it) => it.key)];
      const windows = byKey.map(([, of]) => of[0]!.windowSeconds);
      const [keys, points] = [byKey.map(([key]) => key), byKey.map(([, of]) => of.length)];
      const rows = await countRequests(pool, { keys, points, windowsSeconds: windows });
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
