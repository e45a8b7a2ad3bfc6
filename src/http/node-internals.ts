import { ServerResponse, type Server } from "node:http";
import { Server as NetServer, type Socket } from "node:net";

/**
 * Internals of Node. If a version of Node changes them, `test/http/send-bytes.slow.test.ts` (slow readers of one large write) or
 * `test/operations/start-and-stop.slow.test.ts` (a request on an idle connection) or `test/http/headers.test.ts` fails.
 */

/** Node's handle of a connection, which its idle timeout also reads. */
type WithHandle = Socket & { readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null };

/**
 * The number of bytes that the kernel has accepted, which grows as the client reads. `socket.bytesWritten` includes queued bytes, so it
 * shows no progress of a large write.
 */
export function acceptedBytes({ _handle }: WithHandle): number {
  return _handle ? _handle.bytesWritten - _handle.writeQueueSize : 0;
}

const LINES = Symbol("lines");
/** Node's method that joins the lines of a head, the first of which is the status line. */
type WithLines = ServerResponse & { _storeHeader(firstLine: string, headers: unknown): void; [LINES]?: string };

/** Lets responses with this prototype begin with lines. */
export function acceptLines(prototype: object): void {
  const { _storeHeader } = ServerResponse.prototype as WithLines;
  Object.assign(prototype, {
    _storeHeader(this: WithLines, firstLine: string, headers: unknown) {
      _storeHeader.call(this, firstLine + (this[LINES] ?? ""), headers);
    },
  });
}

/** Inserts lines after the status line of a response, before the headers of `writeHead`. */
export function beginWithLines(res: ServerResponse, lines: string): void {
  (res as WithLines)[LINES] = lines;
}

/** Refuses new connections. `server.close()` of HTTP would also close idle connections at once. */
export function stopListening(server: Server): void {
  NetServer.prototype.close.call(server);
}
