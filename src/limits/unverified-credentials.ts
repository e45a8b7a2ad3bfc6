import type { Config } from "../config.ts";
import { Semaphore, type Permit, type WatchSemaphore } from "../util/semaphore.ts";
import { noPermit } from "./in-flight.ts";

/** The names of the limits on requests whose caller is not known yet, as the metrics show them. */
export const UNKNOWN_CALLER_LIMITS = ["unknown_callers", "unknown_callers_of_address", "key_set"] as const;
type LimitName = (typeof UNKNOWN_CALLER_LIMITS)[number];

export type UnknownCallers = ReturnType<typeof createUnknownCallers>;

/**
 * Limits the requests that wait until their caller is known, per address and in all: anybody can send a token that has to be
 * looked up. They can hold at most half as many permits as all requests, so that known callers have the rest.
 */
export function createUnknownCallers(
  config: Pick<Config, "MAX_IN_FLIGHT" | "MAX_IN_FLIGHT_PER_ADDRESS">,
  watchSemaphore: WatchSemaphore = () => undefined,
) {
  const max = Math.ceil(config.MAX_IN_FLIGHT / 2);
  const permits = new Semaphore({ max, maxPerKey: config.MAX_IN_FLIGHT_PER_ADDRESS });
  watchSemaphore("unknown_callers", permits);
  return {
    /** Counts a request until the permit is given back. Throws `Failure(unavailable)` if too many wait. */
    enter(address: string): Permit {
      const permit = permits.tryAcquire(address);
      if (permit === null) throw tooMany(permits.held < max ? "unknown_callers_of_address" : "unknown_callers");
      return permit;
    },
  };
}

const tooMany = (name: LimitName) =>
  noPermit("unavailable", name, "Too many credentials are being verified. Try again in a moment.");
