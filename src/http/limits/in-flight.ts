import type { ServerResponse } from "node:http";
import type { Request, RequestHandler, Response } from "express";
import type { Failure } from "../../failure.ts";

/** How an answer is taken out of the counts that it is in. */
const counted = new WeakMap<ServerResponse, (() => void)[]>();

/** Takes an answer out of all counts; at any time, any number of times. */
export function releaseInFlight(res: ServerResponse): void {
  for (const release of counted.get(res)?.splice(0) ?? []) release();
}

/**
 * The only counter of requests in flight, in all or for each key: counts a request until its answer is over or released;
 * false when there are too many already.
 */
export function createInFlightLimit(max: number) {
  const inFlight = new Map<string, number>();
  return (res: ServerResponse, key = ""): boolean => {
    // `close` is emitted once. After it the client has left, and nothing would release the count.
    if (res.closed) return true;
    const others = inFlight.get(key) ?? 0;
    if (others >= max) return false;
    inFlight.set(key, others + 1);
    if (!counted.has(res)) res.once("close", () => releaseInFlight(res));
    const release = () => {
      const left = inFlight.get(key)! - 1;
      if (left > 0) inFlight.set(key, left);
      else inFlight.delete(key);
    };
    counted.set(res, [...(counted.get(res) ?? []), release]);
    return true;
  };
}

/**
 * Refuses a request at once when too many are in flight: past capacity, waiting would delay every answer instead of
 * refusing a few. A request whose client has left ends here.
 */
export function limitInFlight(
  max: number,
  refusal: () => Failure,
  keyOf: (req: Request, res: Response) => string = () => "",
): RequestHandler {
  const take = createInFlightLimit(max);
  return (req, res, next) => {
    if (res.closed) return;
    if (!take(res, keyOf(req, res))) throw refusal();
    next();
  };
}
