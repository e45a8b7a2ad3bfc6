import type { Config } from "../../config.ts";
import { Failure } from "../../failure.ts";

/** The names of the limits on requests whose caller is not known yet, as the metrics show them. */
export const UNKNOWN_CALLER_LIMITS = ["unknown_callers", "unknown_callers_of_address", "key_set"] as const;
type LimitName = (typeof UNKNOWN_CALLER_LIMITS)[number];

export type UnknownCallers = ReturnType<typeof createUnknownCallers>;

/**
 * Limits the requests that wait until their caller is known, per address and in all: anybody can send a token that has to be
 * looked up. They can take at most half of the places of all requests, so that known callers have the rest.
 */
export function createUnknownCallers(config: Pick<Config, "MAX_IN_FLIGHT" | "MAX_IN_FLIGHT_PER_ADDRESS">) {
  const max = Math.ceil(config.MAX_IN_FLIGHT / 2);
  const maxOfAddress = config.MAX_IN_FLIGHT_PER_ADDRESS;
  const waiting = new Map<string, number>();
  let all = 0;
  return {
    /** Counts a request until the returned function is called. Throws `Failure(unavailable)` if too many wait. */
    enter(address: string): () => void {
      const others = waiting.get(address) ?? 0;
      if (others >= maxOfAddress) throw tooMany("unknown_callers_of_address");
      if (all >= max) throw tooMany("unknown_callers");
      waiting.set(address, others + 1);
      all++;
      return () => {
        all--;
        const left = waiting.get(address)! - 1;
        if (left > 0) waiting.set(address, left);
        else waiting.delete(address);
      };
    },
  };
}

const tooMany = (name: LimitName) =>
  new Failure("unavailable", "Too many credentials are being verified. Try again in a moment.", {
    retryAfterSeconds: 1,
    limit: { on: "requests in flight", name },
  });
