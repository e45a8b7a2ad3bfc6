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
  /** Closes every connection, and accepts new ones. Returns how many there were. */
  drop(): number;
  /** Closes every connection, and from now on leads to this URL. */
  lead(toUrl: string): void;
  /** Forwards everything this much later, in each direction. Has no effect on a proxy with a `carry` of its own. */
  delay(ms: number): void;
  /** Keeps the connections open but forwards nothing in either direction. */
  freeze(): void;
  /** Ends a cut, a freeze or a delay. */
  mend(): Promise<void>;
};

export const forward = (from: Socket, to: Socket): void => void from.on("data", (bytes) => void to.write(bytes));

/** Forwards everything in both directions. */
export const forwardBoth = (client: Socket, target: Socket): void => {
  forward(client, target);
  forward(target, client);
};

/** Forwards everything in one direction, each time after a delay. The order stays the same, even if the delay becomes shorter. */
function forwardLater(from: Socket, to: Socket, delayMs: () => number): void {
  const waiting: Buffer[] = [];
  from.on("data", (bytes: Buffer) => {
    const ms = delayMs();
    if (ms === 0 && waiting.length === 0) return void to.write(bytes);
    waiting.push(bytes);
    setTimeout(() => to.write(waiting.shift()!), ms);
  });
}

/** Listens on `host`, an address of this machine. */
export async function startTcpProxy(targetUrl: string, carry?: Carry, host = "127.0.0.1"): Promise<TcpProxy> {
  let target = new URL(targetUrl);
  const sockets = new Set<Socket>();
  let isFrozen = false;
  let lateMs = 0;
  let count = 0;
  const carryLater: Carry = (client, ahead) => {
    forwardLater(client, ahead, () => lateMs);
    forwardLater(ahead, client, () => lateMs);
  };
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
    (carry ?? carryLater)(client, ahead, count);
    if (isFrozen) for (const socket of [client, ahead]) socket.pause();
  });
  const listen = async (port: number) => {
    server.listen(port, host);
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
  const drop = () => {
    const connections = sockets.size / 2;
    for (const socket of sockets) socket.destroy();
    return connections;
  };
  const port = await listen(0);
  const url = new URL(targetUrl);
  url.host = `${host}:${port}`;
  return {
    url: url.href.replace(/(?<=:\d+)\/$/, ""),
    cut,
    drop,
    lead(toUrl) {
      target = new URL(toUrl);
      drop();
    },
    delay(ms) {
      lateMs = ms;
    },
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    async mend() {
      isFrozen = false;
      lateMs = 0;
      for (const socket of sockets) socket.resume();
      if (!server.listening) await listen(port);
    },
    [Symbol.asyncDispose]: cut,
  };
}

/** Free ports, for programs that can't choose one themselves. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, "127.0.0.1");
      await once(server, "listening");
      return server;
    }),
  );
  const ports = servers.map((it) => (it.address() as AddressInfo).port);
  await Promise.all(servers.map((it) => new Promise((done) => it.close(done))));
  return ports;
}
