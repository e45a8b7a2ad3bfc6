import { LRUCache } from "lru-cache";
import { RateLimiterMemory } from "rate-limiter-flexible";
import type { Config } from "../config.ts";
import { Failure } from "../failure.ts";
import type { Operation } from "../contract/operations.ts";

export type RateLimits = ReturnType<typeof createRateLimits>;
type Rates = NonNullable<Config["RATE_LIMITS"]>;

/** The number of requests in the window of a key, including this one, and the time until its end. */
export type Count = { readonly points: number; readonly leftMs: number };
/** Counts a request in the counters of all processes. */
export type CountShared = (it: { readonly key: string; readonly windowSeconds: number }) => Promise<Count>;
/** Counts a request of a client. */
type Counter = (caller: string) => Promise<Count>;

/** The rate limits that all processes count together. */
type Shared = {
  readonly names: readonly string[];
  readonly count: CountShared;
  /** Called when a shared count failed, and this process counts alone. */
  readonly onUnavailable: () => void;
};

/** A second limit of some operations, over a longer time. Requests that the first limit refuses don't count towards it. */
const SECOND: Readonly<Partial<Record<Operation["ratePolicy"], keyof Rates>>> = { directory: "searches" };

const UNLIMITED = { headers: {}, refusal: null };
const REFUSED_MAX = 10_000;

/**
 * Creates the rate limits of the contract (draft-ietf-httpapi-ratelimit-headers-10). If `rates` is null, there are none. Each process counts
 * alone for limits that are not shared.
 */
export function createRateLimits(rates: Rates | null, shared: Shared | null) {
  const counters = new Map(Object.entries(rates ?? {}).map(([name, rate]) => [name, counterOf(name, rate, shared)]));

  /** Counts a request of a user or an IP address. Returns the response headers, and the failure of a refused request or null. */
  async function take(policy: Operation["ratePolicy"], caller: string) {
    if (rates === null || policy === "none") return UNLIMITED;
    const second = SECOND[policy];
    const names: readonly (keyof Rates)[] = second === undefined ? [policy] : [policy, second];
    const policies = names.map((it) => `"${it}";q=${rates[it].quota};w=${rates[it].windowSeconds}`);
    const states: string[] = [];
    let refusal: Failure | null = null;
    for (const name of names) {
      const { quota, windowSeconds } = rates[name];
      const { points, leftMs } = await counters.get(name)!(caller);
      states.push(`"${name}";r=${Math.max(0, quota - points)};t=${secondsIn(leftMs)}`);
      if (points <= quota) continue;
      const cause = `You have exceeded the rate limit "${name}" of ${quota} requests in ${windowSeconds} seconds`;
      refusal = exceeded(name, cause, leftMs);
      break;
    }
    return { headers: { "RateLimit-Policy": policies.join(", "), RateLimit: states.join(", ") }, refusal };
  }

  /** Counts a wrong token. Throws `Failure(rate_limited)` if it exceeds the limit of its IP address. */
  async function countFailedAuthentication(address: string): Promise<void> {
    if (rates === null) return;
    const { points, leftMs } = await counters.get("failed_authentication")!(address);
    const isExceeded = points > rates.failed_authentication.quota;
    if (isExceeded) throw exceeded("failed_authentication", "Too many wrong tokens from your IP address", leftMs);
  }

  return { take, countFailedAuthentication };
}

const secondsIn = (ms: number) => Math.max(1, Math.ceil(ms / 1_000));

function exceeded(name: keyof Rates, cause: string, leftMs: number): Failure {
  const retryAfterSeconds = secondsIn(leftMs);
  const data = { retryAfterSeconds, limit: { on: "rate", name } } as const;
  return new Failure("rate_limited", `${cause}. Try again in ${retryAfterSeconds} s.`, data);
}

/** The counter of a rate limit. Without the database, this process counts alone. Beyond the limit, no query is needed until the window ends. */
function counterOf(policy: string, { quota, windowSeconds }: Rates[keyof Rates], shared: Shared | null): Counter {
  const memory = new RateLimiterMemory({ keyPrefix: policy, points: quota, duration: windowSeconds });
  const countAlone: Counter = async (caller) => {
    // Unlike `consume`, `penalty` doesn't reject beyond the limit.
    const { consumedPoints, msBeforeNext } = await memory.penalty(caller);
    return { points: consumedPoints, leftMs: msBeforeNext };
  };
  if (shared === null || !shared.names.includes(policy)) return countAlone;
  const { count, onUnavailable } = shared;
  const refusedUntilMs = new LRUCache<string, number>({ max: REFUSED_MAX });
  return async (caller) => {
    const key = `${policy}:${caller}`;
    const refusedMs = (refusedUntilMs.get(key) ?? 0) - performance.now();
    if (refusedMs > 0) return { points: Infinity, leftMs: refusedMs };
    const counted = await count({ key, windowSeconds }).catch(() => null);
    if (counted === null) {
      onUnavailable();
      return countAlone(caller);
    }
    // The clock of the database can be behind the clock that began the window.
    const leftMs = Math.min(counted.leftMs, windowSeconds * 1_000);
    if (counted.points > quota) refusedUntilMs.set(key, performance.now() + leftMs);
    return { points: counted.points, leftMs };
  };
}
