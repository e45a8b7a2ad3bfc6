import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** The way from a service to its database, which can be cut and mended while both go on running. */
export type Cable = AsyncDisposable & {
  /** The database's URL with the address of the cable in it. */
  readonly url: string;
  /** Ends every connection and takes no new one. */
  cut(): Promise<void>;
  /** Leaves the connections as they are and passes nothing on, in either direction. */
  freeze(): void;
  mend(): Promise<void>;
};

/** `onSent` sees what the service sends to the database. */
export async function layCable(databaseUrl: string, onSent: (bytes: Buffer) => void = () => undefined): Promise<Cable> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let frozen = false;
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    near.on("data", onSent);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("data", (bytes) => void to.write(bytes));
      from.on("error", () => undefined);
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      if (frozen) from.pause();
    }
  });
  const listen = async (port: number) => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  };
  const close = async () => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const port = await listen(0);
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${port}`;
  return {
    url: url.href,
    cut: close,
    freeze() {
      frozen = true;
      for (const socket of sockets) socket.pause();
    },
    async mend() {
      frozen = false;
      for (const socket of sockets) socket.resume();
      if (!server.listening) await listen(port);
    },
    [Symbol.asyncDispose]: close,
  };
}
