import { once } from "node:events";
import type { RequestListener, Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { MIN_PROGRESS_BYTES } from "../config.ts";

/** How many requests a client may send ahead. After these its connection ends, and it has to connect again. */
const WAITING_MAX = 16;
/** Long enough for a request to arrive that the client sent before it learnt of the draining. */
const QUIET_MS = 250;
const CLOSE_TIMEOUT_MS = 8_000;
const WATCH_MS = 250;

type Connection = {
  /** The answer that is being made. */
  current: ServerResponse | null;
  /** Requests that were sent ahead. While they wait they are not in flight. */
  readonly waiting: ServerResponse[];
  /** How long the answer has waited for the client since it last took 64 KiB, and what it had taken by then. */
  waitedMs: number;
  takenBytes: number;
};

/** Node's own handle of a connection, as its time-out reads it. No public counter tells how far one large write has come. */
type WithHandle = Socket & { readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null };

/** How many bytes the kernel has taken, which it does as fast as the client reads. */
function takenFrom({ _handle }: WithHandle): number {
  return _handle ? _handle.bytesWritten - _handle.writeQueueSize : 0;
}

/**
 * Answers the requests of each connection one after the other. Node hands over every request that it has read, so that
 * one packet of a client that reads nothing could otherwise keep a thousand answers waiting for it. A client that reads
 * fewer than 64 KiB of an answer in `stallMs`, slowly or not at all, is disconnected.
 */
export function answerInTurn(server: Server, stallMs: number, answer: RequestListener) {
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
    // After all other listeners: the next request needs the count that this one releases.
    res.once("close", () => queueMicrotask(() => goOn(connection, socket)));
    answer(res.req, res);
  }

  function goOn(connection: Connection, socket: Socket): void {
    connection.current = null;
    const next = connection.waiting.shift();
    // What was sent ahead of an answer that ends the connection is not done (RFC 9112, 9.3.2).
    if (next !== undefined && socket.writable) begin(connection, next);
    else if (!server.listening) closeWhenQuiet(socket);
  }

  /** Time in which there is nothing to read does not count. */
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

  /** An idle connection may have a request under way: to close it at once would reset a client that did nothing wrong. */
  const closeWhenQuiet = (socket: Socket) => socket.setTimeout(QUIET_MS);

  return {
    /** From now on every answer ends its connection, and says so to the client. */
    drain,
    /**
     * Takes no new connection, and ends those that have been quiet for a moment, the others when their request is over, and
     * after a while all of them; once is enough.
     */
    async close(): Promise<void> {
      if (!server.listening) return;
      drain();
      const closed = once(server, "close");
      // Not `server.close`, which ends idle connections in the same moment.
      NetServer.prototype.close.call(server);
      for (const [socket, { current }] of connections) if (current === null) closeWhenQuiet(socket);
      const force = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS);
      await closed;
      clearTimeout(force);
      // Node's own watch over connections ends with it.
      server.close();
    },
  };
}
