import { LRUCache } from "lru-cache";
import { RateLimiterRes } from "rate-limiter-flexible";

/** How many requests the window of a key has had, including this one, and how long it lasts. */
type Count = { readonly points: number; readonly leftMs: number };
/** Counts a request in the counters that all processes share. */
export type CountShared = (it: { readonly key: string; readonly windowSeconds: number }) => Promise<Count>;
/** Counts a request of a caller. */
export type Limiter = (caller: string) => Promise<{ readonly state: RateLimiterRes; readonly isExceeded: boolean }>;
type Options = { readonly policy: string; readonly quota: number; readonly windowSeconds: number };

const REFUSED_MAX = 10_000;

/**
 * A limiter whose counts all processes share. While they can't be counted, each process counts alone, with `alone`. Beyond the
 * limit, a process refuses without a query until the window ends.
 */
export function createSharedLimiter({ policy, quota, windowSeconds }: Options, alone: Limiter, count: CountShared): Limiter {
  const refused = new LRUCache<string, number>({ max: REFUSED_MAX });
  return async (caller) => {
    const key = `${policy}:${caller}`;
    const refusedMs = (refused.get(key) ?? 0) - performance.now();
    if (refusedMs > 0) return { state: new RateLimiterRes(0, refusedMs), isExceeded: true };
    const counted = await count({ key, windowSeconds }).catch(() => null);
    if (counted === null) return alone(caller);
    const { points } = counted;
    // The clock of the database can be a moment behind the one that began the window.
    const leftMs = Math.min(counted.leftMs, windowSeconds * 1_000);
    const isExceeded = points > quota;
    if (isExceeded) refused.set(key, performance.now() + leftMs);
    return { state: new RateLimiterRes(Math.max(0, quota - points), leftMs, points, points === 1), isExceeded };
  };
}
