import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls, type SecureContext } from "node:tls";
import { EgressFailure, orAborted } from "./outcome.ts";

/** Finds all addresses of a name, as `dns.lookup` with `all` does. */
export type Lookup = (name: string) => Promise<readonly { readonly address: string }[]>;

/** How long an address may take while there are others to try. */
const NEXT_ADDRESS_MS = 2_000;
/** More addresses don't make a receiver more reachable. */
const ADDRESSES_MAX = 8;

type Rules = { readonly isAllowed: (address: string) => boolean; readonly signal: AbortSignal };

/**
 * The addresses of a host, which is a name or an address. If one of them is not allowed, the attempt is refused: with a mix, the
 * answers of later attempts would decide whether a private address is tried, and no honest receiver has such a name.
 */
export async function resolveOnce(host: string, lookup: Lookup, { isAllowed, signal }: Rules): Promise<readonly string[]> {
  const found =
    isIP(host) === 0 ? await orAborted(lookup(host), signal).catch(notFoundUnlessAborted(signal)) : [{ address: host }];
  if (found.length === 0) throw new EgressFailure("name_not_found");
  if (!found.every(({ address }) => isAllowed(address))) throw new EgressFailure("address_not_allowed");
  return found.slice(0, ADDRESSES_MAX).map(({ address }) => address);
}

const notFoundUnlessAborted = (signal: AbortSignal) => (): never => {
  signal.throwIfAborted();
  throw new EgressFailure("name_not_found");
};

/** Connects to one of these addresses. Nothing has been sent when the promise resolves. The socket closes when the signal aborts. */
export async function connectChecked(addresses: readonly string[], port: number, { isAllowed, signal }: Rules): Promise<Socket> {
  signal.throwIfAborted();
  const socket = connect({
    // Without a name there is nothing to resolve. With several addresses, `lookup` answers with these and asks nobody.
    host: addresses.length === 1 ? addresses[0]! : "several.invalid",
    port,
    lookup: (_host, _options, answer) =>
      answer(
        null,
        addresses.map((address) => ({ address, family: isIP(address) })),
      ),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
  });
  closeOnAbort(socket, signal);
  await opened(socket, "connect", "connection_failed", signal);
  // The last guard, against a mistake above and a machine that redirects connections: no byte has been written yet.
  if (socket.remoteAddress === undefined || !isAllowed(socket.remoteAddress)) {
    socket.destroy();
    throw new EgressFailure(socket.remoteAddress === undefined ? "connection_failed" : "address_not_allowed");
  }
  return socket;
}

/** TLS with the host that the URL names, whichever address the connection goes to. The certificate must be for that host. */
export async function secure(
  socket: Socket,
  host: string,
  context: SecureContext | undefined,
  signal: AbortSignal,
): Promise<Socket> {
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
  closeOnAbort(secured, signal);
  await opened(secured, "secureConnect", "tls_failed", signal);
  return secured;
}

function closeOnAbort(socket: Socket, signal: AbortSignal): void {
  signal.addEventListener("abort", () => socket.destroy(), { once: true });
  // An error after the attempt has ended interests nobody, and would end the process.
  socket.on("error", () => undefined);
}

async function opened(
  socket: Socket,
  event: "connect" | "secureConnect",
  reason: "connection_failed" | "tls_failed",
  signal: AbortSignal,
): Promise<void> {
  const opening = new Promise<void>((resolve, reject) => {
    const fail = () => {
      socket.destroy();
      reject(new EgressFailure(reason));
    };
    socket.once(event, resolve).once("error", fail).once("close", fail);
  });
  await orAborted(opening, signal);
}
