import { createSecureContext, getCACertificates } from "node:tls";
import { Semaphore } from "../../util/semaphore.ts";
import { isPublic, isPublicOrPrivate } from "./addresses.ts";
import { openDirect, type Open } from "./connect.ts";
import { exchange, type EgressRequest } from "./exchange.ts";
import { EgressFailure, type Failure, type Outcome } from "./outcome.ts";
import { openThroughProxy } from "./proxy.ts";
import { createResolve } from "./resolve.ts";
import { checkTarget } from "./target.ts";

export type EgressOptions = {
  /** Whether requests may go to http URLs and into private networks. Addresses of metadata services are refused in any case. */
  readonly allowsPrivate: boolean;
  /**
   * A forward proxy. It resolves the names, so only the URL is checked here: its scheme, its port, a literal address, and names that
   * are private. The proxy must refuse names that lead to private addresses.
   */
  readonly proxyUrl?: string | undefined;
  /** The name servers to ask, such as `192.0.2.1:53`. Default: those of the system. */
  readonly nameServers?: readonly string[] | undefined;
  /** The time of an attempt, from the name to the end of the body. The time between `open` and `post` doesn't count. */
  readonly timeoutMs?: number;
  /** Certificates (PEM) of authorities that are trusted together with the usual ones. */
  readonly caCertificates?: readonly string[];
  /** For tests, which have no public address. */
  readonly isPublic?: (address: string) => boolean;
};

/** A connection to a receiver, for one request. Disposing of it closes it. */
export type Connection = Disposable & {
  /** Sends the request. Rejects only with the reason of the signal, if it aborts before there is a status. */
  post(request: EgressRequest): Promise<Outcome>;
};

/** Sends requests to addresses that strangers chose. */
export type Egress = {
  /**
   * Connects, without sending anything of the request: what may be in it can be read after this wait. Rejects only with the reason of
   * the signal, or after `close`; whatever the receiver does is a failure.
   */
  open(target: {
    readonly url: string;
    readonly signal: AbortSignal;
  }): Promise<Failure | { readonly kind: "open"; readonly connection: Connection }>;
  /** Refuses new connections, and waits until each one is disposed of. Abort their signals to be faster. */
  close(): Promise<void>;
};

export function openEgress(options: EgressOptions): Egress {
  const { timeoutMs = 10_000 } = options;
  const openSocket = createOpen(options);
  const connections = new Semaphore({ max: Infinity });
  let isClosed = false;

  return {
    async open({ url, signal }) {
      if (isClosed) throw new Error("No connection can be opened after close.");
      signal.throwIfAborted();
      const { within, durationMs, close } = startAttempt(signal, timeoutMs, connections.tryAcquire()!);
      const opened = await within(async (ending) => {
        // The URL may have been stored before there was a rule against it.
        const target = checkTarget(url, options);
        if (target.kind === "refused") throw new EgressFailure("address_not_allowed");
        return { kind: "open" as const, origin: target.url.origin, ...(await openSocket(target.url, ending)) };
      });
      if (opened.kind === "failure") return { ...opened, durationMs: durationMs() };
      const connection: Connection = {
        async post(request) {
          const ended = await within(async (ending) => {
            const response = await exchange(opened, request, ending);
            close();
            return { kind: "response" as const, ...response };
          });
          return { ...ended, durationMs: durationMs() };
        },
        [Symbol.dispose]: close,
      };
      return { kind: "open", connection };
    },
    close() {
      isClosed = true;
      return connections.drained();
    },
  };
}

function createOpen(options: EgressOptions): Open {
  const { allowsPrivate, proxyUrl, nameServers, caCertificates } = options;
  const context = caCertificates && createSecureContext({ ca: [...getCACertificates(), ...caCertificates] });
  if (proxyUrl !== undefined) return openThroughProxy(proxyUrl, context);
  const isAllowed = allowsPrivate ? isPublicOrPrivate : (options.isPublic ?? isPublic);
  return openDirect({ resolve: createResolve(nameServers), isAllowed, context });
}

/** The two steps of an attempt: together they have a limit of time, and both end when the signal aborts. */
function startAttempt(signal: AbortSignal, timeoutMs: number, permit: Disposable) {
  const ending = new AbortController();
  const onAbort = () => ending.abort(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  let usedMs = 0;

  function close(): void {
    signal.removeEventListener("abort", onAbort);
    // Closes every socket that is open.
    ending.abort();
    permit[Symbol.dispose]();
  }

  async function within<Result>(step: (ending: AbortSignal) => Promise<Result>) {
    const startedMs = performance.now();
    using _timer = setTimeout(() => ending.abort(new EgressFailure("timeout")), timeoutMs - usedMs);
    try {
      return await step(ending.signal);
    } catch (error) {
      close();
      if (!(error instanceof EgressFailure)) throw error;
      return { kind: "failure" as const, reason: error.reason };
    } finally {
      usedMs += performance.now() - startedMs;
    }
  }

  return { within, close, durationMs: () => Math.round(usedMs) };
}
