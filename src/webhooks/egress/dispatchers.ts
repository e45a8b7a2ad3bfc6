import type { SecureContext } from "node:tls";
import { Client, ProxyAgent, type buildConnector, type Dispatcher } from "undici";
import { connectChecked, secure } from "./connect.ts";
import { EgressFailure } from "./outcome.ts";
import { hostOf, portOf } from "./target.ts";

/** The time of an attempt is limited as a whole, by its signal, so undici's limits for each part of it are off. */
const LIMITS = { maxHeaderSize: 16_384, headersTimeout: 0, bodyTimeout: 0, pipelining: 1, allowH2: false } as const;

type Direct = {
  readonly addresses: readonly string[];
  readonly isAllowed: (address: string) => boolean;
  readonly context: SecureContext | undefined;
  readonly signal: AbortSignal;
};

/** A client for one request to one of these addresses. The name in the URL is only for TLS and the header Host. */
export function directDispatcher(url: URL, { addresses, isAllowed, context, signal }: Direct): Dispatcher {
  async function open() {
    const socket = await connectChecked(addresses, portOf(url), { isAllowed, signal });
    return url.protocol === "https:" ? secure(socket, hostOf(url), context, signal) : socket;
  }
  let isUsed = false;
  return new Client(url.origin, {
    ...LIMITS,
    connect(_options, done) {
      // undici connects again when a connection closes before the request is on it. One attempt is one connection.
      if (isUsed) return done(new EgressFailure("connection_failed"), null);
      isUsed = true;
      open().then(
        (socket) => done(null, socket),
        (error: Error) => done(error, null),
      );
    },
  });
}

type Proxied = {
  readonly proxyUrl: string;
  readonly caCertificates: readonly string[] | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
};

/** An agent for one request through a forward proxy: https through a tunnel, http by asking the proxy for the whole URL. */
export function proxyDispatcher(url: URL, { proxyUrl, caCertificates, timeoutMs, signal }: Proxied): Dispatcher {
  const tls = { rejectUnauthorized: true, allowH2: false, ...(caCertificates === undefined ? {} : { ca: [...caCertificates] }) };
  return new ProxyAgent({
    ...LIMITS,
    uri: proxyUrl,
    connections: 1,
    connectTimeout: timeoutMs,
    proxyTls: tls,
    requestTls: { ...tls, servername: hostOf(url) },
    // undici doesn't close a tunnel in which the handshake hangs, so the signal closes the connection to the proxy.
    clientFactory(origin, options) {
      const { connect } = options as { connect: (...args: Parameters<buildConnector.connector>) => { destroy(): void } };
      const connectUntilAborted = (...args: Parameters<buildConnector.connector>) => {
        const socket = connect(...args);
        signal.addEventListener("abort", () => socket.destroy(), { once: true });
        return socket;
      };
      return new Client(origin, { ...options, connect: connectUntilAborted });
    },
  });
}
