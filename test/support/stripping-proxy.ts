import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

export type StrippingProxy = AsyncDisposable & {
  /** What clients see: the origin of the proxy and the prefix. */
  readonly url: string;
  /** Where the requests go, once it is known. */
  forwardTo(serviceUrl: string): void;
};

export const OUTSIDE = 421;

/** A proxy as it stands in front of several services: takes a prefix off every path, and answers 421 to all paths without it. */
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
