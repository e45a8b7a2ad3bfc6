import { LRUCache } from "lru-cache";
import { RateLimiterRes, type RateLimiterAbstract } from "rate-limiter-flexible";

/** How many requests the window of a key has had, including this one, and how long it lasts. */
type Count = { readonly points: number; readonly leftMs: number };
/** Counts a request in the counters that all processes share. */
export type CountShared = (it: { readonly key: string; readonly windowSeconds: number }) => Promise<Count>;
export type Limiter = Pick<RateLimiterAbstract, "consume">;

const REFUSED_MAX = 10_000;

/**
 * A limiter whose counts all processes share. While they can't be counted, each process counts alone, with `alone`. Beyond the
 * limit, a process refuses without a query until the window ends.
 */
export function createSharedLimiter(policy: string, alone: RateLimiterAbstract, count: CountShared): Limiter {
  const refused = new LRUCache<string, number>({ max: REFUSED_MAX });
  return {
    async consume(caller: string): Promise<RateLimiterRes> {
      const key = `${policy}:${caller}`;
      const refusedMs = (refused.get(key) ?? 0) - performance.now();
      if (refusedMs > 0) throw new RateLimiterRes(0, refusedMs);
      const counted = await count({ key, windowSeconds: alone.duration }).catch(() => null);
      if (counted === null) return alone.consume(caller);
      const { points, leftMs } = counted;
      const state = new RateLimiterRes(Math.max(0, alone.points - points), leftMs, points, points === 1);
      if (points <= alone.points) return state;
      refused.set(key, performance.now() + leftMs);
      throw state;
    },
  };
}
