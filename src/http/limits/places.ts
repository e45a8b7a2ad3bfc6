import type { ServerResponse } from "node:http";
import type { Request, RequestHandler, Response } from "express";
import type { Failure } from "../../failure.ts";

/** Counts the answers that are being made, by holder, and lets nobody have more than so many at once. */
export type Places = {
  /** Takes a place until the answer is over, or all of its places are given back; false when this holder has no more. */
  take(res: ServerResponse, holder?: string): boolean;
};

/** How an answer that is being made gives its places back. */
const held = new WeakMap<ServerResponse, (() => void)[]>();

/** Gives back whatever places an answer holds; at any time, any number of times. */
export function giveBackPlaces(res: ServerResponse): void {
  for (const giveBack of held.get(res)?.splice(0) ?? []) giveBack();
}

/** The only thing here that counts places: what takes one cannot forget to give it back. */
export function createPlaces(max: number): Places {
  const taken = new Map<string, number>();
  return {
    take(res, holder = "") {
      // `close` comes once: after it there is nobody left to answer, and nothing that would give the place back.
      if (res.closed) return true;
      const others = taken.get(holder) ?? 0;
      if (others >= max) return false;
      taken.set(holder, others + 1);
      if (!held.has(res)) res.once("close", () => giveBackPlaces(res));
      const all = held.get(res) ?? [];
      held.set(res, all);
      all.push(() => {
        const left = taken.get(holder)! - 1;
        if (left > 0) taken.set(holder, left);
        else taken.delete(holder);
      });
      return true;
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
    if (!places.take(res, holderOf(req, res))) throw refusal();
    next();
  };
}
