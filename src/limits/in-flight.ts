import type { ServerResponse } from "node:http";
import { Failure } from "../failure.ts";
import type { Permit, Semaphore } from "../util/semaphore.ts";

/** The failure of a request without a permit. */
export const noPermit = (code: "unavailable" | "rate_limited", name: string, detail: string): Failure =>
  new Failure(code, detail, { retryAfterSeconds: 1, limit: { on: "requests in flight", name } });

const HELD = Symbol("held");
/** A response with the permits of its request. A WeakMap of objects that live so briefly costs more than its use. */
type Holder = ServerResponse & { [HELD]?: Permit[] };

/** Releases all permits of the request of a response. Can be called repeatedly. */
export function releaseInFlight(res: Holder): void {
  for (const permit of res[HELD]?.splice(0) ?? []) permit[Symbol.dispose]();
}

/**
 * Acquires a permit for a request until its response closes or is released. A client is a user id or an address. Throws a failure without
 * a permit, and returns false if the client has disconnected.
 */
export type Admit = (caller: string, res: ServerResponse) => boolean;

type Scope = {
  /** The key of a client in the semaphore; by default, the client. */
  readonly keyOf?: (caller: string) => string;
  /** Tries to free a permit for a client. */
  readonly freeFor?: (caller: string) => void;
};

/** Limits the requests in flight. Refuses at once, because beyond the capacity a queue would delay every response. */
export function limitInFlight(permits: Semaphore, refusal: () => Failure, { keyOf = (it) => it, freeFor }: Scope = {}): Admit {
  return (caller, res: Holder) => {
    // `close` is emitted only once. After it, the permit would never be released.
    if (res.closed) return false;
    const key = keyOf(caller);
    let permit = permits.tryAcquire(key);
    if (permit === null && freeFor !== undefined) {
      freeFor(caller);
      permit = permits.tryAcquire(key);
    }
    if (permit === null) throw refusal();
    if (res[HELD] !== undefined) res[HELD].push(permit);
    else {
      res[HELD] = [permit];
      res.on("close", () => releaseInFlight(res));
    }
    return true;
  };
}
