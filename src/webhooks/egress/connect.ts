import { connect, isIP, type Socket, type TcpNetConnectOpts } from "node:net";
import { connect as connectTls, type SecureContext } from "node:tls";
import { EgressFailure } from "./outcome.ts";
import type { Resolve } from "./resolve.ts";
import { hostOf, portOf } from "./target.ts";

/** An open socket, and what the request on it must have. */
export type Opened = {
  readonly socket: Socket;
  /** The target in the request line. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** Opens a socket for a request to a URL. Nothing of the request has been sent when the promise resolves. */
export type Open = (url: URL, signal: AbortSignal) => Promise<Opened>;

/** How long an address may take while there are others to try. */
const NEXT_ADDRESS_MS = 2_000;
/** More addresses don't make a receiver more reachable. */
const ADDRESSES_MAX = 8;

type DirectOptions = {
  readonly resolve: Resolve;
  readonly isAllowed: (address: string) => boolean;
  readonly context: SecureContext | undefined;
};

/** Connects to the receiver itself. The name in the URL is then only for TLS and the header Host. */
export const openDirect = ({ resolve, isAllowed, context }: DirectOptions): Open =>
  async function open(url, signal) {
    const host = hostOf(url);
    const addresses = isIP(host) === 0 ? await resolve(host, signal) : [host];
    // With one reason for both, an attempt doesn't say which names a private network has.
    const refusal = isIP(host) === 0 ? "name_not_found" : "address_not_allowed";
    // All of them: with a mix, the answers of later attempts would decide whether a private address is tried.
    if (!addresses.every(isAllowed)) throw new EgressFailure(refusal);
    const socket = await connectTo(addresses.slice(0, ADDRESSES_MAX), portOf(url), signal);
    // The last guard, against a mistake above and a machine that redirects connections: no byte has been written yet.
    if (socket.remoteAddress === undefined) throw new EgressFailure("connection_failed");
    if (!isAllowed(socket.remoteAddress)) throw new EgressFailure(refusal);
    return { socket: await securedFor(url, socket, context, signal), path: `${url.pathname}${url.search}`, headers: {} };
  };

/** Connects to one of these addresses, in their order. */
function connectTo(addresses: readonly string[], port: number, signal: AbortSignal): Promise<Socket> {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return connected(
    {
      // Without a name there is nothing to resolve. With several addresses, `lookup` answers with these.
      host: addresses.length === 1 ? addresses[0]! : "several.invalid",
      port,
      lookup: (_host, _options, answer) => answer(null, found),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
    },
    signal,
  );
}

/** Connects. The socket closes when the signal aborts. */
export async function connected(options: TcpNetConnectOpts, signal: AbortSignal): Promise<Socket> {
  const socket = connect(options);
  await opened(socket, "connect", "connection_failed", signal);
  return socket;
}

/** Adds TLS if the URL has it, with the host of the URL, whichever address the connection goes to. The certificate must be for that host. */
export async function securedFor(
  url: URL,
  socket: Socket,
  context: SecureContext | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  if (url.protocol !== "https:") return socket;
  const host = hostOf(url);
  const secured = connectTls({
    socket,
    host,
    // SNI is only for names (RFC 6066).
    servername: isIP(host) === 0 ? host : "",
    ALPNProtocols: ["http/1.1"],
    // Said here, because NODE_TLS_REJECT_UNAUTHORIZED would otherwise change it.
    rejectUnauthorized: true,
    ...(context === undefined ? {} : { secureContext: context }),
  });
  await opened(secured, "secureConnect", "tls_failed", signal);
  return secured;
}

/** Resolves with this event of a socket. The socket closes when the signal aborts, then and later. */
function opened(
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
