import type { Config } from "../config.ts";
import { Semaphore, type Permit, type WatchSemaphore } from "../util/semaphore.ts";
import { noPermit } from "./in-flight.ts";

/** The names of these limits in the metrics. */
export const UNVERIFIED_CREDENTIAL_LIMITS = ["unknown_callers", "unknown_callers_of_address", "key_set"] as const;
type LimitName = (typeof UNVERIFIED_CREDENTIAL_LIMITS)[number];

export type UnverifiedCredentials = ReturnType<typeof limitUnverifiedCredentials>;

/**
 * Limits the requests whose credential is being verified, per address and in total, because anyone can send made-up tokens. They can hold
 * at most half of the permits of all requests.
 */
export function limitUnverifiedCredentials(
  config: Pick<Config, "MAX_IN_FLIGHT" | "MAX_IN_FLIGHT_PER_ADDRESS">,
  watchSemaphore: WatchSemaphore = () => undefined,
) {
  const max = Math.ceil(config.MAX_IN_FLIGHT / 2);
  const permits = new Semaphore({ max, maxPerKey: config.MAX_IN_FLIGHT_PER_ADDRESS });
  watchSemaphore("unknown_callers", permits);
  return {
    /** Takes a permit for a verification. Throws `Failure(unavailable)` if there is none. */
    acquire(address: string): Permit {
      const permit = permits.tryAcquire(address);
      if (permit === null) throw tooMany(permits.held < max ? "unknown_callers_of_address" : "unknown_callers");
      return permit;
    },
  };
}

const tooMany = (name: LimitName) =>
  noPermit("unavailable", name, "Too many credentials are being verified. Try again in a moment.");
