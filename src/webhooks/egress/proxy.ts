import type { SecureContext } from "node:tls";
import type { Socket } from "node:net";
import { clientOn } from "./client.ts";
import { connectSocket, withTls, type Connect } from "./connect.ts";
import { EgressFailure } from "./outcome.ts";
import { hostOf, portOf } from "./target.ts";

/**
 * Connects through a forward proxy: by a tunnel for https, by an absolute target for http. The system resolves the name of the
 * proxy.
 */
export function openThroughProxy(proxyUrl: string, context: SecureContext | undefined): Connect {
  const proxy = new URL(proxyUrl);
  const login = [proxy.username, proxy.password].map(decodeURIComponent).join(":");
  const headers = login === ":" ? {} : { "Proxy-Authorization": `Basic ${Buffer.from(login).toString("base64")}` };

  return async (url, signal) => {
    const plain = await connectSocket({ host: hostOf(proxy), port: portOf(proxy) }, signal);
    const socket = await withTls(proxy, plain, context, signal);
    if (url.protocol === "http:") return { socket, path: url.href, headers };
    const tunnel = await tunnelTo(`${url.hostname}:${portOf(url)}`, socket, headers, signal);
    return { socket: await withTls(url, tunnel, context, signal), path: `${url.pathname}${url.search}`, headers: {} };
  };
}

async function tunnelTo(
  target: string,
  socket: Socket,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Socket> {
  const client = clientOn(socket, "http://proxy.invalid");
  const tunnel = await client.connect({ path: target, headers: { Host: target, ...headers } }).catch(() => null);
  signal.throwIfAborted();
  if (tunnel === null || tunnel.statusCode >= 300) throw new EgressFailure("connection_failed");
  return socket;
}
