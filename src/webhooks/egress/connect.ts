import { connect, isIP, type Socket, type TcpNetConnectOpts } from "node:net";
import { connect as connectTls, type SecureContext } from "node:tls";
import { EgressFailure } from "./outcome.ts";
import type { Resolve } from "./resolve.ts";
import { hostOf, portOf } from "./target.ts";

/** An open socket, with the target and the headers that the request on it needs. */
export type OpenSocket = {
  readonly socket: Socket;
  /** The target in the request line. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** Opens a socket for a request to a URL, and sends nothing of the request. */
export type Connect = (url: URL, signal: AbortSignal) => Promise<OpenSocket>;

/** How long to wait for one address before the next one is tried. */
const NEXT_ADDRESS_MS = 2_000;
/** Trying more addresses would only take time. */
const ADDRESSES_MAX = 8;

type DirectOptions = {
  readonly resolve: Resolve;
  readonly isAllowed: (address: string) => boolean;
  readonly context: SecureContext | undefined;
};

/** Connects to the receiver without a proxy, by address. The name in the URL is only for TLS and the Host header. */
export const openDirect = ({ resolve, isAllowed, context }: DirectOptions): Connect =>
  async function open(url, signal) {
    const host = hostOf(url);
    const addresses = isIP(host) === 0 ? await resolve(host, signal) : [host];
    // The same reason for a private address and for an unknown name, so that names of a private network stay secret.
    const refusal = isIP(host) === 0 ? "name_not_found" : "address_not_allowed";
    // All of them: with a mix, a later lookup could lead to a private address.
    if (!addresses.every(isAllowed)) throw new EgressFailure(refusal);
    const socket = await connectTo(addresses.slice(0, ADDRESSES_MAX), portOf(url), signal);
    // Guards against a mistake above, and against a machine that redirects connections. No byte has been written yet.
    if (socket.remoteAddress === undefined) throw new EgressFailure("connection_failed");
    if (!isAllowed(socket.remoteAddress)) throw new EgressFailure(refusal);
    return { socket: await withTls(url, socket, context, signal), path: `${url.pathname}${url.search}`, headers: {} };
  };

/** Connects to one of these addresses, in their order. */
function connectTo(addresses: readonly string[], port: number, signal: AbortSignal): Promise<Socket> {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return connectSocket(
    {
      // A single address needs no lookup. For several, `lookup` returns them.
      host: addresses.length === 1 ? addresses[0]! : "several.invalid",
      port,
      lookup: (_host, _options, answer) => answer(null, found),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
    },
    signal,
  );
}

/** Opens a socket, which closes when the signal aborts. */
export async function connectSocket(options: TcpNetConnectOpts, signal: AbortSignal): Promise<Socket> {
  const socket = connect(options);
  await untilOpen(socket, "connect", "connection_failed", signal);
  return socket;
}

/** Adds TLS for an https URL. The certificate must be for the host of the URL, whichever address is used. */
export async function withTls(
  url: URL,
  socket: Socket,
  context: SecureContext | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  if (url.protocol !== "https:") return socket;
  const host = hostOf(url);
  const tlsSocket = connectTls({
    socket,
    host,
    // SNI is only for names (RFC 6066).
    servername: isIP(host) === 0 ? host : "",
    ALPNProtocols: ["http/1.1"],
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED can't change it.
    rejectUnauthorized: true,
    ...(context === undefined ? {} : { secureContext: context }),
  });
  await untilOpen(tlsSocket, "secureConnect", "tls_failed", signal);
  return tlsSocket;
}

/** Resolves at this event of a socket. From then on, too, the socket closes when the signal aborts. */
function untilOpen(
  socket: Socket,
  event: "connect" | "secureConnect",
  reason: "connection_failed" | "tls_failed",
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => void socket.destroy();
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    // An error of TLS after the handshake doesn't destroy the socket, but without a listener it would end the process.
    socket.on("error", (error) => socket.destroy(error));
    socket.once(event, resolve);
    socket.once("close", () => reject(signal.aborted ? (signal.reason as Error) : new EgressFailure(reason)));
  });
}
