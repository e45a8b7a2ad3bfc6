import { once } from "node:events";
import type { RequestListener, Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";

/** How many requests a client may send ahead. After these its connection ends, and it has to connect again. */
const WAITING_MAX = 16;
/** Long enough for a request to arrive that the client sent before it learnt of the draining. */
const QUIET_MS = 250;
const CLOSE_TIMEOUT_MS = 8_000;

type Connection = {
  /** The answer that is being made. */
  current: ServerResponse | null;
  /** Requests that were sent ahead. While they wait they are not in flight. */
  readonly waiting: ServerResponse[];
  /** Since when it has sent nothing, by the last look, and how much it had sent by then. */
  quietSinceMs: number;
  readBytes: number;
};

/**
 * Answers the requests of each connection one after the other. Node hands over every request that it has read, so that
 * one packet of a client that reads nothing could otherwise keep a thousand answers waiting for it.
 */
export function answerInTurn(server: Server, answer: RequestListener) {
  const connections = new Map<Socket, Connection>();
  let isDraining = false;

  server.on("connection", (socket) => {
    connections.set(socket, { current: null, waiting: [], quietSinceMs: performance.now(), readBytes: 0 });
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
    connection.current = res;
    if (isDraining) res.setHeader("Connection", "close");
    // After all other listeners: the next request needs the count that this one releases.
    res.once("close", () => queueMicrotask(() => goOn(connection, res.req.socket)));
    answer(res.req, res);
  }

  function goOn(connection: Connection, socket: Socket): void {
    connection.current = null;
    const next = connection.waiting.shift();
    // What was sent ahead of an answer that ends the connection is not done (RFC 9112, 9.3.2).
    if (next !== undefined && socket.writable) begin(connection, next);
  }

  function drain(): void {
    if (isDraining) return;
    isDraining = true;
    for (const [socket, connection] of connections) {
      connection.quietSinceMs = performance.now();
      connection.readBytes = socket.bytesRead;
      if (connection.current?.headersSent === false) connection.current.setHeader("Connection", "close");
    }
  }

  /** An idle connection may have a request under way: to close it at once would reset a client that did nothing wrong. */
  function closeQuiet(): void {
    const nowMs = performance.now();
    for (const [socket, connection] of connections) {
      if (connection.current !== null || socket.bytesRead !== connection.readBytes) {
        connection.quietSinceMs = nowMs;
        connection.readBytes = socket.bytesRead;
      } else if (nowMs - connection.quietSinceMs >= QUIET_MS) socket.destroySoon();
    }
  }

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
      const sweep = setInterval(closeQuiet, QUIET_MS / 5);
      const force = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS);
      closeQuiet();
      await closed;
      clearInterval(sweep);
      clearTimeout(force);
      // Node's own watch over connections ends with it.
      server.close();
    },
  };
}
