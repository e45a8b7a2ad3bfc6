import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What the key server of an identity provider does with a request. */
export type KeyServerAnswer =
  { readonly status?: number; readonly headers?: Record<string, string>; readonly body: string } | "hangs up" | "waits";

export type KeyServer = AsyncDisposable & {
  readonly url: string;
  /** How many requests it has received. */
  readonly asked: () => number;
  /** Changes what it does with requests. */
  answers(with_: KeyServerAnswer): void;
};

/** A real HTTP server for a JSON Web Key Set, on the loopback interface. */
export async function startKeyServer(first: KeyServerAnswer): Promise<KeyServer> {
  let answer = first;
  let count = 0;
  const server = createServer((_req, res) => {
    count++;
    if (answer === "hangs up") res.destroy();
    else if (answer !== "waits")
      res.writeHead(answer.status ?? 200, { "Content-Type": "application/jwk-set+json", ...answer.headers }).end(answer.body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`,
    asked: () => count,
    answers: (it) => {
      answer = it;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
