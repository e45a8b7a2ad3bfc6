import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import type { Config } from "../../config.ts";
import { Failure } from "../../failure.ts";
import type { Operation } from "../../contract/operations.ts";
import type { ResponseHeaders } from "../common-headers.ts";
import { createSharedLimiter, type CountShared, type Limiter } from "./shared-limiter.ts";

export type RateLimits = ReturnType<typeof createRateLimits>;
type Rates = NonNullable<Config["RATE_LIMITS"]>;

/** The rate limits that all processes count together, and the function that counts a request for them. */
type Shared = { readonly names: readonly string[]; readonly count: CountShared };

/**
 * Creates the rate limits of the contract (draft-ietf-httpapi-ratelimit-headers-10). If `rates` is null, there are none.
 * Each process counts alone for those that are not shared.
 */
export function createRateLimits(rates: Rates | null, shared: Shared | null) {
  const named = Object.entries(rates ?? {}).map(([name, rate]) => [name, limiter(name as keyof Rates, rate, shared)]);
  const limiters = Object.fromEntries(named) as Record<keyof Rates, Limiter>;

  return {
    /**
     * Counts a request of a user or an IP address, and sets the RateLimit headers in `head` if it is not null. Throws
     * `Failure(rate_limited)` if the request exceeds the limit.
     */
    async take(policy: Operation["ratePolicy"], caller: string, head: ResponseHeaders | null): Promise<void> {
      if (rates === null || policy === "none") return;
      const { quota, windowSeconds } = rates[policy];
      if (head !== null) head["RateLimit-Policy"] = `"${policy}";q=${quota};w=${windowSeconds}`;
      const { state, isExceeded } = await limiters[policy](caller);
      if (head !== null) head["RateLimit"] = `"${policy}";r=${Math.max(0, state.remainingPoints)};t=${secondsUntil(state)}`;
      if (isExceeded)
        throw exceeded(
          policy,
          `You have exceeded the rate limit "${policy}" of ${quota} requests in ${windowSeconds} seconds`,
          state,
        );
    },
    /** Counts a wrong token. Throws `Failure(rate_limited)` if it exceeds the limit of its IP address. */
    async countGuess(address: string): Promise<void> {
      if (rates === null) return;
      const { state, isExceeded } = await limiters.failed_authentication(address);
      if (isExceeded) throw exceeded("failed_authentication", "Too many wrong tokens from your IP address", state);
    },
  };
}

const secondsUntil = (it: RateLimiterRes) => Math.max(1, Math.ceil(it.msBeforeNext / 1_000));

function exceeded(name: keyof Rates, cause: string, state: RateLimiterRes): Failure {
  const retryAfterSeconds = secondsUntil(state);
  return new Failure("rate_limited", `${cause}. Try again in ${retryAfterSeconds} s.`, {
    retryAfterSeconds,
    limit: { on: "rate", name },
  });
}

function limiter(policy: keyof Rates, { quota, windowSeconds }: Rates[keyof Rates], shared: Shared | null): Limiter {
  const memory = new RateLimiterMemory({ keyPrefix: policy, points: quota, duration: windowSeconds });
  const alone: Limiter = async (caller) => {
    try {
      return { state: await memory.consume(caller), isExceeded: false };
    } catch (error) {
      // The library rejects with the state if the request exceeds the limit.
      if (!(error instanceof RateLimiterRes)) throw error;
      return { state: error, isExceeded: true };
    }
  };
  if (shared === null || !shared.names.includes(policy)) return alone;
  return createSharedLimiter({ policy, quota, windowSeconds }, alone, shared.count);
}
