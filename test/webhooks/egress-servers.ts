/** Receivers for the tests of webhooks: honest, hostile, and one that no webhook may reach. All are real servers. */
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";

/** A server that counts the connections and the bytes that it gets. */
export type Counting = AsyncDisposable & {
  readonly port: number;
  readonly connections: () => number;
  /** What the server has received on all connections. */
  readonly received: () => string;
  /** Resolves when every connection is closed, with the number of bytes that were sent on them. */
  closed(): Promise<number>;
};

export type TlsOfServer = TlsOptions & { readonly certificate: string };

type Options = {
  readonly host?: string;
  readonly port?: number;
  readonly tls?: TlsOfServer | undefined;
  /** What the server sends on each connection before it has received something. With null, it closes the connection. */
  readonly greeting?: string | null;
};

/** Starts a server that does this with each connection, as soon as it has received something. */
export async function serve(
  answer: (socket: Socket) => void,
  { host = "127.0.0.1", port = 0, tls, greeting = "" }: Options = {},
): Promise<Counting> {
  let connections = 0;
  let received = "";
  let sentBytes = 0;
  const open = new Set<Socket>();
  const closes: Promise<unknown>[] = [];
  const onConnection = (socket: Socket) => {
    socket.on("error", () => undefined);
    closes.push(
      new Promise<void>((resolve) => socket.once("close", () => resolve())).then(() => (sentBytes += socket.bytesWritten)),
    );
    if (greeting === null) socket.end();
    else socket.write(greeting);
    socket.once("data", () => answer(socket)).on("data", (bytes) => (received += bytes.toString("latin1")));
  };
  const server: Server =
    tls === undefined ? createServer(onConnection) : createTlsServer({ ...tls, cert: tls.certificate }, onConnection);
  server.on("connection", (socket: Socket) => {
    connections++;
    open.add(socket);
    socket.on("error", () => undefined);
  });
  server.listen(port, host);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    received: () => received,
    async closed() {
      await Promise.all(closes);
      return sentBytes;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** Answers with this text and ends the connection. */
export const answers = (text: string | Buffer) => (socket: Socket) => void socket.end(text);

/** A response with the right length. */
export const response = (body: string | Buffer, status = "200 OK", headers = ""): Buffer =>
  Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status}\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`),
    Buffer.from(body as string),
  ]);

/** Sends this, and then the same part as fast as the client reads it, without end. */
export const answersForEver = (head: string, part: string | Buffer) => (socket: Socket) => {
  socket.write(head);
  const more = () => {
    while (!socket.destroyed && socket.write(part));
  };
  socket.on("drain", more);
  more();
};

/** Sends this, and then a byte every few milliseconds, without end. */
export const drips = (head: string, part: string) => (socket: Socket) => {
  socket.write(head);
  const timer = setInterval(() => socket.write(part), 10);
  socket.on("close", () => clearInterval(timer));
};

/** A forward proxy. It leads every tunnel to a port on this machine, whatever name the client asks for. */
export async function startProxy(toPort: number, tls?: TlsOfServer): Promise<Counting & { readonly url: string }> {
  const proxy = await serve(
    (client) => {
      const target = connect(toPort, "127.0.0.1", () => client.write("HTTP/1.1 200 Connection Established\r\n\r\n"));
      target.on("error", () => client.destroy()).on("close", () => client.destroy());
      client.on("close", () => target.destroy());
      client.pipe(target);
      target.pipe(client);
    },
    { tls },
  );
  return { ...proxy, url: `http://someone:a-password@127.0.0.1:${proxy.port}` };
}
