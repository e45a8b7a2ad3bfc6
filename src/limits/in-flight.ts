import type { ServerResponse } from "node:http";
import { Failure } from "../failure.ts";
import type { Permit, Semaphore } from "../util/semaphore.ts";

/** The failure of a request that gets no permit: the service has none left, or its caller holds too many. */
export const noPermit = (code: "unavailable" | "rate_limited", name: string, detail: string): Failure =>
  new Failure(code, detail, { retryAfterSeconds: 1, limit: { on: "requests in flight", name } });

/** For each response, the permits that its request holds. */
const held = new WeakMap<ServerResponse, Permit[]>();

/** Gives back all permits of the request of a response. Can be called at any time and more than once. */
export function releaseInFlight(res: ServerResponse): void {
  for (const permit of held.get(res)?.splice(0) ?? []) permit[Symbol.dispose]();
}

/**
 * Takes a permit for a request until its response closes or is released. A caller is the id of a user, or an address. Throws a
 * failure if there is none, and returns false if the client has disconnected.
 */
export type Admit = (caller: string, res: ServerResponse) => boolean;

type Scope = {
  /** The key of the permits of a caller; by default, the caller. */
  readonly keyOf?: (caller: string) => string;
  /** Can free a permit for a caller that gets none. */
  readonly freeFor?: (caller: string) => void;
};

/**
 * Limits the requests in flight. Refuses a request at once: beyond the capacity, a queue would delay every response instead of
 * refusing a few requests.
 */
export function limitInFlight(permits: Semaphore, refusal: () => Failure, { keyOf = (it) => it, freeFor }: Scope = {}): Admit {
  return (caller, res) => {
    // `close` is emitted only once. After it, nothing would give the permit back.
    if (res.closed) return false;
    const key = keyOf(caller);
    let permit = permits.tryAcquire(key);
    if (permit === null && freeFor !== undefined) {
      freeFor(caller);
      permit = permits.tryAcquire(key);
    }
    if (permit === null) throw refusal();
    const others = held.get(res);
    if (others !== undefined) others.push(permit);
    else {
      held.set(res, [permit]);
      res.once("close", () => releaseInFlight(res));
    }
    return true;
  };
}
