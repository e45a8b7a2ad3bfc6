import type { ServerResponse } from "node:http";
import type { Request, RequestHandler, Response } from "express";
import type { Failure } from "../failure.ts";

/** Gives a place back; at any time, any number of times. */
export type GiveBack = () => void;

/** Counts the answers that are being made, by holder, and lets nobody have more than so many at once. */
export type Places = {
  /** Takes a place until the answer is over or it is given back; null when this holder has all of theirs. */
  take(res: ServerResponse, holder?: string): GiveBack | null;
};

/** The only thing here that counts places: what takes one cannot forget to give it back. */
export function createPlaces(max: number): Places {
  const taken = new Map<string, number>();
  return {
    take(res, holder = "") {
      // `close` comes once: after it there is nobody left to answer, and nothing that would give the place back.
      if (res.closed) return () => undefined;
      const others = taken.get(holder) ?? 0;
      if (others >= max) return null;
      taken.set(holder, others + 1);
      let isHeld = true;
      const giveBack = () => {
        if (!isHeld) return;
        isHeld = false;
        res.off("close", giveBack);
        const left = taken.get(holder)! - 1;
        if (left > 0) taken.set(holder, left);
        else taken.delete(holder);
      };
      res.once("close", giveBack);
      return giveBack;
    },
  };
}

/**
 * Lets a request go on when it gets a place, and refuses it at once when there is none: past capacity, waiting would make
 * everybody's answer late instead of a few. A request whose client has left meanwhile ends here.
 */
export function requirePlace(
  places: Places,
  refusal: () => Failure,
  holderOf: (req: Request, res: Response) => string = () => "",
): RequestHandler {
  return (req, res, next) => {
    if (res.closed) return;
    if (places.take(res, holderOf(req, res)) === null) throw refusal();
    next();
  };
}
