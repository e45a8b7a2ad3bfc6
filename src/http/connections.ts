import { once } from "node:events";
import type { RequestListener, Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { MIN_PROGRESS_BYTES } from "../config.ts";

/** The maximum number of pipelined requests that wait. If more arrive, the connection closes after the last of these. */
const WAITING_MAX = 16;
/** Long enough to receive a request that the client sent before it learned of the shutdown. */
export const QUIET_MS = 250;
const CLOSE_TIMEOUT_MS = 8_000;
const WATCH_MS = 250;

type Connection = {
  /** The response to the current request. */
  current: ServerResponse | null;
  /** The responses to pipelined requests. While these wait, they don't count as in flight. */
  readonly waiting: ServerResponse[];
  /** How long the client has blocked the response since it last read 64 KiB, and how much it had read by then. */
  waitedMs: number;
  takenBytes: number;
};

/** Node's internal handle of a connection, which its timeout reads too. No public counter shows the progress of a large write. */
type WithHandle = Socket & { readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null };

/** The number of bytes that the kernel has accepted. When its buffer is full, it accepts more only as the client reads. */
function takenFrom({ _handle }: WithHandle): number {
  return _handle ? _handle.bytesWritten - _handle.writeQueueSize : 0;
}

/**
 * Handles the requests of each connection one at a time. Node emits every pipelined request that it has read, so a client
 * that reads nothing could otherwise make the service hold a thousand responses with one packet. Disconnects a client that
 * reads less than 64 KiB of a response within `stallMs`.
 */
export function answerInTurn(server: Server, stallMs: number, quietMs: number, handle: RequestListener) {
  const connections = new Map<Socket, Connection>();
  let isDraining = false;
  const watch = setInterval(disconnectSlowReaders, WATCH_MS).unref();
  server.once("close", () => clearInterval(watch));

  server.on("connection", (socket) => {
    connections.set(socket, { current: null, waiting: [], waitedMs: 0, takenBytes: 0 });
    socket.once("close", () => connections.delete(socket));
  });

  server.on("request", (req, res) => {
    const connection = connections.get(req.socket);
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
    Object.assign(connection, { current: res, waitedMs: 0, takenBytes: takenFrom(socket) });
    if (isDraining) {
      socket.setTimeout(0);
      res.setHeader("Connection", "close");
    }
    // After all other listeners, which release the count that the next request needs.
    res.once("close", () => queueMicrotask(() => beginNext(connection, socket)));
    handle(res.req, res);
  }

  function beginNext(connection: Connection, socket: Socket): void {
    connection.current = null;
    const next = connection.waiting.shift();
    // After a response that closes the connection, pipelined requests are not processed (RFC 9112, 9.6).
    if (next !== undefined && socket.writable) begin(connection, next);
    else if (!server.listening) closeWhenQuiet(socket);
  }

  /** Time in which the client has nothing to read does not count. */
  function disconnectSlowReaders(): void {
    for (const [socket, connection] of connections) {
      if (connection.current === null) continue;
      const takenBytes = takenFrom(socket);
      if (takenBytes - connection.takenBytes >= MIN_PROGRESS_BYTES) Object.assign(connection, { waitedMs: 0, takenBytes });
      else if (socket.writableLength > 0) connection.waitedMs += WATCH_MS;
      if (connection.waitedMs >= stallMs) socket.destroy();
    }
  }

  function drain(): void {
    isDraining = true;
    for (const { current } of connections.values()) if (current?.headersSent === false) current.setHeader("Connection", "close");
  }

  /** A request may be on its way on an idle connection. If the connection closed at once, the client would see a reset. */
  const closeWhenQuiet = (socket: Socket) => socket.setTimeout(quietMs);

  return {
    /** From now on, every response whose headers have not been sent has `Connection: close`. */
    drain,
    /**
     * Refuses new connections. Closes idle connections after a moment, the others after their last response, and all of them
     * after 8 s. Further calls have no effect.
     */
    async close(): Promise<void> {
      if (!server.listening) return;
      drain();
      const closed = once(server, "close");
      // Not `server.close`, which closes idle connections at once.
      NetServer.prototype.close.call(server);
      for (const [socket, { current }] of connections) if (current === null) closeWhenQuiet(socket);
      const force = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS);
      await closed;
      clearTimeout(force);
      // This stops Node's timer for the timeouts of connections.
      server.close();
    },
  };
}
