import type { Config } from "../config.ts";
import { createPlaces, noPlace, type Release } from "./in-flight.ts";

/** The names of the limits on requests whose caller is not known yet, as the metrics show them. */
export const UNKNOWN_CALLER_LIMITS = ["unknown_callers", "unknown_callers_of_address", "key_set"] as const;
type LimitName = (typeof UNKNOWN_CALLER_LIMITS)[number];

export type UnknownCallers = ReturnType<typeof createUnknownCallers>;

/**
 * Limits the requests that wait until their caller is known, per address and in all: anybody can send a token that has to be
 * looked up. They can take at most half of the places of all requests, so that known callers have the rest.
 */
export function createUnknownCallers(config: Pick<Config, "MAX_IN_FLIGHT" | "MAX_IN_FLIGHT_PER_ADDRESS">) {
  const takeOfAddress = createPlaces(config.MAX_IN_FLIGHT_PER_ADDRESS);
  const takeOfAll = createPlaces(Math.ceil(config.MAX_IN_FLIGHT / 2));
  return {
    /** Counts a request until the returned function is called. Throws `Failure(unavailable)` if too many wait. */
    enter(address: string): Release {
      const releaseOfAddress = takeOfAddress(address);
      if (releaseOfAddress === null) throw tooMany("unknown_callers_of_address");
      const releaseOfAll = takeOfAll();
      if (releaseOfAll === null) {
        releaseOfAddress();
        throw tooMany("unknown_callers");
      }
      return () => {
        releaseOfAll();
        releaseOfAddress();
      };
    },
  };
}

const tooMany = (name: LimitName) =>
  noPlace("unavailable", name, "Too many credentials are being verified. Try again in a moment.");
