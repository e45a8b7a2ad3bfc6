import type { Response } from "express";
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes, type RateLimiterAbstract } from "rate-limiter-flexible";
import type { RatePolicy } from "#generated/operations.ts";
import type { Rate, RateName, Rates } from "../../config.ts";
import { Failure } from "../../failure.ts";
import type { Operation } from "../../contract/operations.ts";

export type RateLimits = {
  /** Counts a request of a user; sends the RateLimit headers; throws `Failure(rate_limited)` when it was one too many. */
  take(policy: Operation["ratePolicy"], userId: string, res: Response): Promise<void>;
  /** The same for a caller that is known by its address only, without headers. */
  takeAnonymous(policy: Operation["ratePolicy"], caller: string, res: Response): Promise<void>;
  /** Counts a wrong token; throws `Failure(rate_limited)` when it was one too many of its caller. */
  countGuess(caller: string): Promise<void>;
};

/** What counts across all processes, in PostgreSQL: a `pg.Pool`, as rate-limiter-flexible wants it. */
export type SharedCounters = { readonly pool: unknown; readonly table: string };

// Writes and uploads are few and dear: counted for all processes together. Reads are many: counted in each process.
const SHARED: readonly RateName[] = ["writes", "uploads"];

/** The limits of the contract by draft-ietf-httpapi-ratelimit-headers-10; `null` lifts all of them. */
export function createRateLimits(rates: Rates | null, shared: SharedCounters | null): RateLimits {
  if (rates === null) {
    const free = async () => undefined;
    return { take: free, takeAnonymous: free, countGuess: free };
  }
  const limiters = Object.fromEntries(
    Object.keys(rates).map((name) => [name, limiter(name as RateName, rates, shared)]),
  ) as Record<RateName, RateLimiterAbstract>;

  return {
    async take(policy, userId, res) {
      if (policy === "none") return;
      const { quota, windowSeconds } = rates[policy];
      res.set("RateLimit-Policy", `"${policy}";q=${quota};w=${windowSeconds}`);
      try {
        res.set("RateLimit", state(policy, await limiters[policy].consume(userId)));
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused;
        res.set("RateLimit", state(policy, refused));
        throw quotaUsedUp(policy, rates[policy], refused);
      }
    },
    async takeAnonymous(policy, caller) {
      if (policy === "none") return;
      await limiters[policy].consume(caller).catch(refuse((it) => quotaUsedUp(policy, rates[policy], it)));
    },
    async countGuess(caller) {
      await limiters.failed_authentication.consume(caller).catch(refuse(tooManyGuesses));
    },
  };
}

function limiter(policy: RateName, rates: Rates, shared: SharedCounters | null): RateLimiterAbstract {
  const { quota: points, windowSeconds: duration } = rates[policy];
  const memory = new RateLimiterMemory({ keyPrefix: policy, points, duration });
  if (shared === null || !SHARED.includes(policy)) return memory;
  return new RateLimiterPostgres({
    storeClient: shared.pool,
    storeType: "pool",
    tableName: shared.table,
    tableCreated: true,
    // The hourly maintenance does it, in batches.
    clearExpiredByTimeout: false,
    keyPrefix: policy,
    points,
    duration,
    // Whoever is over the limit is refused without asking PostgreSQL, and when PostgreSQL is away each process counts alone.
    inMemoryBlockOnConsumed: points + 1,
    insuranceLimiter: memory,
  });
}

const secondsUntil = (it: RateLimiterRes) => Math.max(1, Math.ceil(it.msBeforeNext / 1_000));
const state = (policy: string, it: RateLimiterRes) => `"${policy}";r=${Math.max(0, it.remainingPoints)};t=${secondsUntil(it)}`;

function quotaUsedUp(policy: RatePolicy, { quota, windowSeconds }: Rate, it: RateLimiterRes): Failure {
  return rateLimited(`You have exceeded the rate limit "${policy}" of ${quota} requests in ${windowSeconds} seconds`, it);
}

const tooManyGuesses = (it: RateLimiterRes) => rateLimited("Too many wrong tokens from your IP address", it);

function rateLimited(cause: string, it: RateLimiterRes): Failure {
  return new Failure("rate_limited", `${cause}. Try again in ${secondsUntil(it)} s.`, {
    retryAfterSeconds: secondsUntil(it),
  });
}

const refuse =
  (failureOf: (it: RateLimiterRes) => Failure) =>
  (refused: unknown): never => {
    throw refused instanceof RateLimiterRes ? failureOf(refused) : refused;
  };
