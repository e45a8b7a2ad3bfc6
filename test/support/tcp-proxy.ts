import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** Connects a client to the target. `count` is the number of the connection. */
export type Carry = (client: Socket, target: Socket, count: number) => void;

/** A TCP proxy between a service and its clients or its database, which can fail like a network. */
export type TcpProxy = AsyncDisposable & {
  /** The target's URL with the address of the proxy. */
  readonly url: string;
  /** Closes every connection and accepts no new one. */
  cut(): Promise<void>;
  /** Keeps the connections open but forwards nothing in either direction. */
  freeze(): void;
  /** Ends a cut or a freeze. */
  mend(): Promise<void>;
};

export const forward = (from: Socket, to: Socket): void => void from.on("data", (bytes) => void to.write(bytes));

/** Forwards everything in both directions. */
export const forwardBoth = (client: Socket, target: Socket): void => {
  forward(client, target);
  forward(target, client);
};

/** Forwards a limited number of bytes per second. */
export function throttle(from: Socket, to: Socket, bytesPerSecond: number): void {
  from.on("data", (bytes) => {
    to.write(bytes);
    from.pause();
    setTimeout(() => from.resume(), (bytes.length / bytesPerSecond) * 1_000);
  });
}

export async function startTcpProxy(targetUrl: string, carry: Carry = forwardBoth): Promise<TcpProxy> {
  const target = new URL(targetUrl);
  const sockets = new Set<Socket>();
  let isFrozen = false;
  let count = 0;
  const server = createServer((client) => {
    const ahead = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [client, ahead],
      [ahead, client],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    count++;
    carry(client, ahead, count);
    if (isFrozen) for (const socket of [client, ahead]) socket.pause();
  });
  const listen = async (port: number) => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  };
  const cut = async () => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const port = await listen(0);
  const url = new URL(targetUrl);
  url.host = `127.0.0.1:${port}`;
  return {
    url: url.href.replace(/(?<=:\d+)\/$/, ""),
    cut,
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    async mend() {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
      if (!server.listening) await listen(port);
    },
    [Symbol.asyncDispose]: cut,
  };
}
