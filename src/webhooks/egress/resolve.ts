import { CONNREFUSED, promises, TIMEOUT } from "node:dns";
import { EgressFailure } from "./outcome.ts";

/** Finds all addresses of a name of a receiver. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

/** c-ares doubles the timeout for the second try. */
const TIMEOUTS = { timeout: 1_500, tries: 2 };
const NO_RESPONSE: ReadonlySet<unknown> = new Set([TIMEOUT, CONNREFUSED]);
const LOOPBACK = ["127.0.0.1", "::1"];

/**
 * Resolves with c-ares, because `getaddrinfo` blocks one of libuv's four threads for up to 10 s, and delays other lookups
 * (nodejs/node#8436).
 */
export function createResolve(servers: readonly string[] | undefined): Resolve {
  return async (name, signal) => {
    signal.throwIfAborted();
    // RFC 6761: no name server is asked.
    if (/(^|\.)localhost$/.test(name)) return LOOPBACK;
    // One resolver per lookup, because `cancel` ends all lookups of a resolver.
    const resolver = new promises.Resolver(TIMEOUTS);
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener("abort", cancel, { once: true });
    const lookups = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    signal.removeEventListener("abort", cancel);
    signal.throwIfAborted();
    const addresses = lookups.flatMap((it) => (it.status === "fulfilled" ? it.value : []));
    if (addresses.length > 0) return addresses;
    const hasNoResponse = lookups.some(
      (it) => it.status === "rejected" && NO_RESPONSE.has((it.reason as NodeJS.ErrnoException).code),
    );
    throw new EgressFailure(hasNoResponse ? "timeout" : "name_not_found");
  };
}
