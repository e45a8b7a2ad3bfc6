import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

export type StrippingProxy = AsyncDisposable & {
  /** The URL for clients: the origin of the proxy, and the prefix. */
  readonly url: string;
  /** Sets the target of the requests, once it is known. */
  forwardTo(serviceUrl: string): void;
};

export const OUTSIDE = 421;

/** A proxy as in front of several services: it removes a prefix from every path, and returns 421 for any other path. */
export async function startStrippingProxy(prefix: string): Promise<StrippingProxy> {
  let target = "";
  const server = createServer((req, res) => {
    const path = req.url!.startsWith(`${prefix}/`) ? req.url!.slice(prefix.length) : null;
    if (path === null) {
      res.writeHead(OUTSIDE).end("There is another service here.");
      return;
    }
    const outgoing = request(`${target}${path}`, { method: req.method, headers: req.headers }, (answer) => {
      res.writeHead(answer.statusCode!, answer.rawHeaders);
      answer.pipe(res);
    });
    outgoing.on("error", () => res.destroy());
    req.pipe(outgoing);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`,
    forwardTo: (it) => {
      target = it;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
