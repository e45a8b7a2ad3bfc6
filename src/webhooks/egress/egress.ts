import { createSecureContext, getCACertificates } from "node:tls";
import { Semaphore } from "../../util/semaphore.ts";
import { isPublic, isPublicOrPrivate } from "./addresses.ts";
import { openDirect, type Connect } from "./connect.ts";
import { exchange, type EgressRequest } from "./exchange.ts";
import { EgressFailure, type Failure, type Outcome } from "./outcome.ts";
import { openThroughProxy } from "./proxy.ts";
import { createResolve } from "./resolve.ts";
import { checkTarget } from "./target.ts";

export type EgressOptions = {
  /** Allows http URLs and private networks. Addresses of metadata services are always refused. */
  readonly allowsPrivate: boolean;
  /**
   * A forward proxy. It resolves the names, so only the URL is checked here. The proxy must refuse names that resolve to
   * private addresses.
   */
  readonly proxyUrl?: string | undefined;
  /** Name servers, such as `192.0.2.1:53`. Default: the servers of the system. */
  readonly nameServers?: readonly string[] | undefined;
  /** The time limit of an attempt, from the lookup to the end of the body, without the time between `open` and `post`. */
  readonly timeoutMs?: number;
  /** Additional certificate authorities (PEM). */
  readonly caCertificates?: readonly string[];
  /** Tests replace it, because they have no public address. */
  readonly isPublic?: (address: string) => boolean;
};

/** A connection to a receiver, for one request. Disposing of it closes it. */
export type Connection = Disposable & {
  /** Sends the request. Rejects only if the signal aborts before the status arrives. */
  post(request: EgressRequest): Promise<Outcome>;
};

/** Sends requests to user-supplied URLs. */
export type Egress = {
  /**
   * Connects without sending, so that the content is read after this wait. Rejects only on abort or after `close`; other errors
   * are failures.
   */
  open(target: {
    readonly url: string;
    readonly signal: AbortSignal;
  }): Promise<Failure | { readonly kind: "open"; readonly connection: Connection }>;
  /** Refuses new connections, and waits until all are disposed of. Abort their signals to be faster. */
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
        // The URL may be older than the rules.
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

function createOpen(options: EgressOptions): Connect {
  const { allowsPrivate, proxyUrl, nameServers, caCertificates } = options;
  const context = caCertificates && createSecureContext({ ca: [...getCACertificates(), ...caCertificates] });
  if (proxyUrl !== undefined) return openThroughProxy(proxyUrl, context);
  const isAllowed = allowsPrivate ? isPublicOrPrivate : (options.isPublic ?? isPublic);
  return openDirect({ resolve: createResolve(nameServers), isAllowed, context });
}

/** Limits the total time of the two steps of an attempt. Both end when the signal aborts. */
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
