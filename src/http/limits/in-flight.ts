import type { ServerResponse } from "node:http";
import type { Failure } from "../../failure.ts";

/**
 * Decides whether the request of a caller can continue. Throws a failure to refuse it, and returns false if its client has
 * disconnected.
 */
export type Admit = (res: ServerResponse, caller: string) => boolean;

/** For each response, the functions that remove it from the counts. */
const counted = new WeakMap<ServerResponse, (() => void)[]>();

/** Removes a response from all counts. Can be called at any time and more than once. */
export function releaseInFlight(res: ServerResponse): void {
  for (const release of counted.get(res)?.splice(0) ?? []) release();
}

/** Counts requests in flight, in total or for each key. */
export type InFlight = {
  /** Counts a request until its response closes or is released. Returns false if there are too many. */
  take(res: ServerResponse, key?: string): boolean;
};

export function createInFlightLimit(max: number): InFlight {
  const inFlight = new Map<string, number>();
  const take = (res: ServerResponse, key = ""): boolean => {
    // `close` is emitted only once. After it, nothing would release the count.
    if (res.closed) return true;
    const others = inFlight.get(key) ?? 0;
    if (others >= max) return false;
    inFlight.set(key, others + 1);
    const release = () => {
      const left = inFlight.get(key)! - 1;
      if (left > 0) inFlight.set(key, left);
      else inFlight.delete(key);
    };
    const releases = counted.get(res);
    if (releases !== undefined) releases.push(release);
    else {
      counted.set(res, [release]);
      res.once("close", () => releaseInFlight(res));
    }
    return true;
  };
  return { take };
}

/**
 * Refuses a request at once if too many are in flight: beyond the capacity, a queue would delay every response instead of
 * refusing a few requests. Drops a request whose client has disconnected.
 */
export function limitInFlight(max: number, refusal: () => Failure, keyOf: (caller: string) => string = () => ""): Admit {
  const inFlight = createInFlightLimit(max);
  return (res, caller) => {
    if (res.closed) return false;
    if (!inFlight.take(res, keyOf(caller))) throw refusal();
    return true;
  };
}
