import type { ServerResponse } from "node:http";
import type { Request, RequestHandler, Response } from "express";
import type { Failure } from "../../failure.ts";

/** How many requests may be in flight at once, in all or for each key. */
export type InFlightLimit = {
  /** Counts a request until its answer is over or released; false when there are too many already. */
  take(res: ServerResponse, key?: string): boolean;
};

/** How an answer is taken out of the counts that it is in. */
const counted = new WeakMap<ServerResponse, (() => void)[]>();

/** Takes an answer out of all counts; at any time, any number of times. */
export function releaseInFlight(res: ServerResponse): void {
  for (const release of counted.get(res)?.splice(0) ?? []) release();
}

/** The only counter of requests in flight: what is counted is released when the answer is over. */
export function createInFlightLimit(max: number): InFlightLimit {
  const inFlight = new Map<string, number>();
  return {
    take(res, key = "") {
      // `close` is emitted once. After it the client has left, and nothing would release the count.
      if (res.closed) return true;
      const others = inFlight.get(key) ?? 0;
      if (others >= max) return false;
      inFlight.set(key, others + 1);
      if (!counted.has(res)) res.once("close", () => releaseInFlight(res));
      const all = counted.get(res) ?? [];
      counted.set(res, all);
      all.push(() => {
        const left = inFlight.get(key)! - 1;
        if (left > 0) inFlight.set(key, left);
        else inFlight.delete(key);
      });
      return true;
    },
  };
}

/**
 * Refuses a request at once when too many are in flight: past capacity, waiting would delay every answer instead of
 * refusing a few. A request whose client has left ends here.
 */
export function limitInFlight(
  limit: InFlightLimit,
  refusal: () => Failure,
  keyOf: (req: Request, res: Response) => string = () => "",
): RequestHandler {
  return (req, res, next) => {
    if (res.closed) return;
    if (!limit.take(res, keyOf(req, res))) throw refusal();
    next();
  };
}
