import type { Server } from "node:http";
import { Server as NetServer, type Socket } from "node:net";

/**
 * What the service uses of Node beside its documented interface. If a version of Node changes it, `test/http/send-bytes.slow.test.ts`
 * (slow readers of one large write) or `test/operations/draining.slow.test.ts` (a request on an idle connection) fails.
 */

/** Node's handle of a connection, which its own timeout of an idle connection reads too. */
type WithHandle = Socket & { readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null };

/**
 * The number of bytes that the kernel has accepted. When its buffer is full, it accepts more only as the client reads.
 * `socket.bytesWritten` counts at once what is still queued, so it doesn't show the progress of a large write.
 */
export function acceptedBytes({ _handle }: WithHandle): number {
  return _handle ? _handle.bytesWritten - _handle.writeQueueSize : 0;
}

/** Refuses new connections. `server.close()` of HTTP would also close idle connections at once, with a request on its way. */
export function stopListening(server: Server): void {
  NetServer.prototype.close.call(server);
}
