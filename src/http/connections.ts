import { once } from "node:events";
import type { RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { MIN_PROGRESS_BYTES } from "../config.ts";
import { acceptedBytes, stopListening } from "./node-internals.ts";

/** The maximum number of waiting pipelined requests. If more arrive, the connection closes after the last of these. */
const WAITING_MAX = 16;
/** Long enough to receive a request that was sent before the shutdown. */
export const QUIET_MS = 250;
const CLOSE_TIMEOUT_MS = 8_000;
const WATCH_MS = 250;

type Connection = {
  /** The response to the current request. */
  current: ServerResponse | null;
  /** The responses to pipelined requests, which are not in flight yet. */
  readonly waiting: ServerResponse[];
  /** How long the response has been blocked since the client last read 64 KiB, and how much it had read by then. */
  blockedMs: number;
  readBytes: number;
};

type Connections = {
  readonly server: Server;
  readonly open: Map<Socket, Connection>;
  /** Closes an idle connection after a pause, because a request in transit would get a reset. */
  readonly closeWhenQuiet: (socket: Socket) => void;
  isDraining: boolean;
};

/** Manages the connections of a server. `stallMs` limits slow readers, and `quietMs` is the pause before a close. */
export function manageConnections(server: Server, stallMs: number, quietMs: number, handle: RequestListener) {
  const closeWhenQuiet = (socket: Socket) => socket.setTimeout(quietMs);
  const connections: Connections = { server, open: new Map(), closeWhenQuiet, isDraining: false };
  server.on("connection", (socket) => {
    connections.open.set(socket, { current: null, waiting: [], blockedMs: 0, readBytes: 0 });
    socket.once("close", () => connections.open.delete(socket));
  });
  serializePipelined(connections, handle);
  const watch = setInterval(() => disconnectSlowReaders(connections, stallMs), WATCH_MS).unref();
  server.once("close", () => clearInterval(watch));
  return {
    /** Whether a part of a response was sent. */
    hasBegunResponse: (socket: Socket) => connections.open.get(socket)?.current?.headersSent === true,
    /** Adds `Connection: close` to all further responses. */
    drain: () => drain(connections),
    /** Refuses new connections. Closes idle ones after a pause, the others after their response, and all after 8 s. */
    close: () => close(connections),
  };
}

/**
 * Handles the requests of each connection one at a time. Node emits all pipelined requests at once, so a client that reads nothing could
 * otherwise make the service hold a thousand responses.
 */
function serializePipelined(connections: Connections, handle: RequestListener): void {
  const { server, open, closeWhenQuiet } = connections;

  server.on("request", (req, res) => {
    const connection = open.get(req.socket);
    if (connection === undefined) return;
    if (connection.current === null) begin(connection, res);
    else if (connection.waiting.length < WAITING_MAX) connection.waiting.push(res);
    else {
      connection.waiting.at(-1)!.setHeader("Connection", "close");
      req.socket.pause();
    }
  });

  function begin(connection: Connection, res: ServerResponse): void {
    const { socket } = res.req;
    connection.current = res;
    connection.blockedMs = 0;
    connection.readBytes = acceptedBytes(socket);
    if (connections.isDraining) {
      socket.setTimeout(0);
      res.setHeader("Connection", "close");
    }
    // After all other listeners, which release the permits for the next request.
    res.on("close", () => queueMicrotask(() => beginNext(connection, socket)));
    handle(res.req, res);
  }

  function beginNext(connection: Connection, socket: Socket): void {
    connection.current = null;
    const next = connection.waiting.shift();
    // After a response that closes the connection, pipelined requests are not processed (RFC 9112, 9.6).
    if (next !== undefined && socket.writable) begin(connection, next);
    else if (!server.listening) closeWhenQuiet(socket);
  }
}

/** Disconnects clients that read less than 64 KiB of a response within `stallMs`. Time without unread bytes does not count. */
function disconnectSlowReaders({ open }: Connections, stallMs: number): void {
  for (const [socket, connection] of open) {
    if (connection.current === null) continue;
    const readBytes = acceptedBytes(socket);
    if (readBytes - connection.readBytes >= MIN_PROGRESS_BYTES) Object.assign(connection, { blockedMs: 0, readBytes });
    else if (socket.writableLength > 0) connection.blockedMs += WATCH_MS;
    if (connection.blockedMs >= stallMs) socket.destroy();
  }
}

function drain(connections: Connections): void {
  connections.isDraining = true;
  for (const { current } of connections.open.values())
    if (current?.headersSent === false) current.setHeader("Connection", "close");
}

async function close(connections: Connections): Promise<void> {
  const { server, open, closeWhenQuiet } = connections;
  if (!server.listening) return;
  drain(connections);
  const closed = once(server, "close");
  stopListening(server);
  for (const [socket, { current }] of open) if (current === null) closeWhenQuiet(socket);
  const force = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS);
  await closed;
  clearTimeout(force);
  // Stops Node's timer for connection timeouts.
  server.close();
}
