import type { Request, RequestHandler } from "express";
import { Failure } from "../failure.ts";

/**
 * Lets at most `max` requests be answered at once and refuses the others at once: past capacity, waiting would make
 * everybody's answer late instead of a few.
 */
export function inFlightLimit(max: number, isExempt: (req: Request) => boolean): RequestHandler {
  let inFlight = 0;
  return (req, res, next) => {
    if (isExempt(req)) return next();
    if (inFlight >= max) throw new Failure("unavailable", "The service is at its capacity; try again shortly.", { headers: { "Retry-After": "1" } });
    inFlight++;
    res.once("close", () => { inFlight--; });
    next();
  };
}
