import type { Request, RequestHandler } from "express";
import { Failure } from "../failure.ts";
import { principalOf } from "./authentication.ts";

/**
 * Lets at most `max` requests be answered at once and refuses the others at once: past capacity, waiting would make
 * everybody's answer late instead of a few.
 */
export function inFlightLimit(max: number, isExempt: (req: Request) => boolean = () => false): RequestHandler {
  let inFlight = 0;
  return (req, res, next) => {
    if (isExempt(req)) return next();
    if (inFlight >= max)
      throw new Failure("unavailable", "The service is at its capacity; try again shortly.", { headers: { "Retry-After": "1" } });
    inFlight++;
    res.once("close", () => {
      inFlight--;
    });
    next();
  };
}

/** The same for each user by itself, so that nobody's requests take every place there is. */
export function inFlightLimitOfUser(max: number): RequestHandler {
  const inFlight = new Map<string, number>();
  return (_req, res, next) => {
    const userId = principalOf(res)?.userId ?? "";
    const others = inFlight.get(userId) ?? 0;
    if (others >= max)
      throw new Failure("rate_limited", `You are sending ${others} videos already; go on when one of them has arrived.`, {
        headers: { "Retry-After": "1" },
      });
    inFlight.set(userId, others + 1);
    res.once("close", () => {
      const left = inFlight.get(userId)! - 1;
      if (left > 0) inFlight.set(userId, left);
      else inFlight.delete(userId);
    });
    next();
  };
}
