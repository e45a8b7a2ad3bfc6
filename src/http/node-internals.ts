import type { Server } from "node:http";
import { Server as NetServer, type Socket } from "node:net";

/**
 * Internals of Node. If a version of Node changes them, `test/http/send-bytes.slow.test.ts` (slow readers of one large write) or
 * `test/operations/draining.slow.test.ts` (a request on an idle connection) fails.
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

/** Refuses new connections. `server.close()` of HTTP would also close idle connections at once. */
export function stopListening(server: Server): void {
  NetServer.prototype.close.call(server);
}
