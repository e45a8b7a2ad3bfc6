import type { Readable } from "node:stream";
import { watched } from "../receive-body.ts";

export type Segments = ReturnType<typeof createSegments>;

/**
 * Splits the body of a request into one or more segments. When a client asks for the offset, the segment ends, so that the
 * bytes received so far count, and the request continues with the next segment.
 */
export function createSegments(body: Readable, { idleMs, isAllOrNothing }: { idleMs: number; isAllOrNothing: boolean }) {
  const idle = Promise.withResolvers<never>();
  idle.promise.catch(() => undefined);
  // The connection stays open, so that a client that is too slow gets a response.
  const chunks = watched(body, idleMs, () => idle.reject(new Error("too slow")));
  let next: Promise<IteratorResult<Buffer>> | null = null;
  let asked = Promise.withResolvers<null>();
  let onRecord = Promise.withResolvers<void>();
  let [arrivedBytes, segmentBytes] = [0, 0];
  let [isOver, isCut, keepsTail] = [false, false, !isAllOrNothing];

  return {
    arrivedBytes: () => arrivedBytes,
    /** Whether the body has ended. */
    isOver: () => isOver,
    /** Whether the body ended early, because the connection broke or the client was too slow. */
    isCut: () => isCut,
    /** Whether a cut last segment may count. It must not after a client has received an offset without it. */
    keepsTail: () => keepsTail,
    ignoreTail: (): void => void (keepsTail = false),

    async *segment(): AsyncGenerator<Buffer> {
      segmentBytes = 0;
      for (;;) {
        next ??= chunks.next();
        try {
          const result = await Promise.race([next, asked.promise, idle.promise]);
          if (result === null) return;
          next = null;
          if (result.done === true) return void (isOver = true);
          arrivedBytes += result.value.length;
          segmentBytes += result.value.length;
          yield result.value;
        } catch {
          [isOver, isCut] = [true, true];
          return;
        }
      }
    },

    /** Reports that the last segment is recorded. */
    recorded(): void {
      onRecord.resolve();
      asked = Promise.withResolvers();
      onRecord = Promise.withResolvers();
    },

    /** Stops reading. */
    end(): void {
      isOver = true;
      onRecord.resolve();
      void chunks.return(undefined).catch(() => undefined);
    },

    /** Waits until the bytes received so far are recorded. From then on, the offset is binding. */
    async checkpoint(): Promise<void> {
      if (!isAllOrNothing && !isOver && segmentBytes > 0) {
        asked.resolve(null);
        await onRecord.promise;
      }
      keepsTail = false;
    },
  };
}
