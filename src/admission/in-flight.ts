import type { ServerResponse } from "node:http";
import { Failure } from "../failure.ts";

/** The failure of a request that finds no place: a service without one, or a caller with too many. */
export const noPlace = (code: "unavailable" | "rate_limited", name: string, detail: string): Failure =>
  new Failure(code, detail, { retryAfterSeconds: 1, limit: { on: "requests in flight", name } });

/** Gives back one place. Call it once. */
export type Release = () => void;

/** At most `max` places for each key. Returns null if all of them are taken. */
export function createPlaces(max: number): (key?: string) => Release | null {
  const taken = new Map<string, number>();
  return (key = "") => {
    const others = taken.get(key) ?? 0;
    if (others >= max) return null;
    taken.set(key, others + 1);
    return () => {
      const left = taken.get(key)! - 1;
      if (left > 0) taken.set(key, left);
      else taken.delete(key);
    };
  };
}

/** For each response, the places that its request has. */
const held = new WeakMap<ServerResponse, Release[]>();

/** Gives back all places of the request of a response. Can be called at any time and more than once. */
export function releaseInFlight(res: ServerResponse): void {
  for (const release of held.get(res)?.splice(0) ?? []) release();
}

/**
 * Takes a place for a request until its response closes or is released. A caller is the id of a user, or an address. Throws a
 * failure if there is no place, and returns false if the client has disconnected.
 */
export type Admit = (caller: string, res: ServerResponse) => boolean;

type Scope = {
  /** What has `max` places; by default, each caller. */
  readonly keyOf?: (caller: string) => string;
  /** Can release a place for a caller that finds none. */
  readonly makeRoomFor?: (caller: string) => void;
};

/**
 * Limits the requests in flight. Refuses a request at once: beyond the capacity, a queue would delay every response instead of
 * refusing a few requests.
 */
export function limitInFlight(max: number, refusal: () => Failure, { keyOf = (it) => it, makeRoomFor }: Scope = {}): Admit {
  const takeOne = createPlaces(max);
  return (caller, res) => {
    // `close` is emitted only once. After it, nothing would release the place.
    if (res.closed) return false;
    const key = keyOf(caller);
    let release = takeOne(key);
    if (release === null && makeRoomFor !== undefined) {
      makeRoomFor(caller);
      release = takeOne(key);
    }
    if (release === null) throw refusal();
    const releases = held.get(res);
    if (releases !== undefined) releases.push(release);
    else {
      held.set(res, [release]);
      res.once("close", () => releaseInFlight(res));
    }
    return true;
  };
}
