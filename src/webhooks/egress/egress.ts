import { lookup as dnsLookup } from "node:dns/promises";
import { createSecureContext, getCACertificates } from "node:tls";
import { isPublic, isPublicOrPrivate } from "./addresses.ts";
import { resolveOnce, type Lookup } from "./connect.ts";
import { directDispatcher, proxyDispatcher } from "./dispatchers.ts";
import { exchange, type EgressRequest } from "./exchange.ts";
import { EgressFailure, type Outcome } from "./outcome.ts";
import { createPlaces } from "./places.ts";
import { checkTarget, hostOf } from "./target.ts";

export type EgressOptions = {
  /** Whether requests may go to http URLs and into private networks. Addresses of metadata services are refused in any case. */
  readonly allowsPrivate: boolean;
  /**
   * A forward proxy. It resolves the names, so only the URL is checked here: its scheme, its port, a literal address, and names that
   * are private. The proxy must refuse names that lead to private addresses.
   */
  readonly proxyUrl?: string | undefined;
  /** The time of an attempt, from the name to the end of the body. Waiting for a place doesn't count. */
  readonly timeoutMs?: number;
  /** How many connections can be open. More requests wait. */
  readonly connectionsMax?: number;
  /** Certificates (PEM) of authorities that are trusted together with the usual ones. */
  readonly caCertificates?: readonly string[];
  /** For tests. libuv runs slow look-ups on at most half of its threads, so they can't hold up files. */
  readonly lookup?: Lookup;
  /** For tests, which have no public address. */
  readonly isPublic?: (address: string) => boolean;
};

/** Sends requests to addresses that strangers chose. */
export type Egress = {
  /**
   * Sends one POST request on a connection of its own. Rejects only with the reason of the signal, if it aborts before there is a
   * status, or after `close`; whatever the receiver does is an outcome.
   */
  send(request: EgressRequest): Promise<Outcome>;
  /** Refuses new requests, and waits for the others, each of which ends within its time. Abort their signals to be faster. */
  close(): Promise<void>;
};

const allAddresses: Lookup = (name) => dnsLookup(name, { all: true });

export function openEgress(options: EgressOptions): Egress {
  const { timeoutMs = 10_000, connectionsMax = 64 } = options;
  const places = createPlaces(connectionsMax);
  const dispatcherFor = createDispatchers({ ...options, timeoutMs });
  let isClosed = false;

  async function attempt(request: EgressRequest): Promise<Outcome> {
    const startedMs = performance.now();
    const took = () => Math.round(performance.now() - startedMs);
    const ending = new AbortController();
    const timer = setTimeout(() => ending.abort(new EgressFailure("timeout")), timeoutMs);
    const onAbort = () => ending.abort(request.signal.reason);
    request.signal.addEventListener("abort", onAbort, { once: true });
    try {
      request.signal.throwIfAborted();
      // The URL may have been stored before there was a rule against it.
      const target = checkTarget(request.url, options);
      if (target.kind === "refused") throw new EgressFailure("address_not_allowed");
      const dispatcher = await dispatcherFor(target.url, ending.signal);
      try {
        return { kind: "response", ...(await exchange(dispatcher, target.url, request, ending.signal)), durationMs: took() };
      } finally {
        void dispatcher.destroy().catch(() => undefined);
      }
    } catch (error) {
      if (!(error instanceof EgressFailure)) throw error;
      return { kind: "failure", reason: error.reason, durationMs: took() };
    } finally {
      clearTimeout(timer);
      request.signal.removeEventListener("abort", onAbort);
      // Closes whatever is still open, also what undici doesn't know yet.
      ending.abort();
    }
  }

  return {
    async send(request) {
      if (isClosed) throw new Error("No request can be sent after close.");
      const leave = await places.enter(request.signal);
      try {
        return await attempt(request);
      } finally {
        leave();
      }
    },
    close() {
      isClosed = true;
      return places.emptied();
    },
  };
}

function createDispatchers(options: EgressOptions & { readonly timeoutMs: number }) {
  const { allowsPrivate, proxyUrl, timeoutMs, lookup = allAddresses } = options;
  const caCertificates = options.caCertificates && [...getCACertificates(), ...options.caCertificates];
  const context = caCertificates && createSecureContext({ ca: caCertificates });
  const isAllowed = allowsPrivate ? isPublicOrPrivate : (options.isPublic ?? isPublic);

  return async (url: URL, signal: AbortSignal) => {
    if (proxyUrl !== undefined) return proxyDispatcher(url, { proxyUrl, caCertificates, timeoutMs, signal });
    const addresses = await resolveOnce(hostOf(url), lookup, { isAllowed, signal });
    return directDispatcher(url, { addresses, isAllowed, context, signal });
  };
}
