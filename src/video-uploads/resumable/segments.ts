import type { Readable } from "node:stream";
import { watched } from "../receive-body.ts";

export type Segments = ReturnType<typeof createSegments>;

/**
 * The body of a request, stored as one segment or several: a client that asks for the offset ends a segment, so that the
 * bytes up to then count, and the request continues with the next one.
 */
export function createSegments(body: Readable, { idleMs, isAllOrNothing }: { idleMs: number; isAllOrNothing: boolean }) {
  const idle = Promise.withResolvers<never>();
  idle.promise.catch(() => undefined);
  // The connection stays open: a client that is too slow gets an answer.
  const chunks = watched(body, idleMs, () => idle.reject(new Error("too slow")));
  let next: Promise<IteratorResult<Buffer>> | null = null;
  let asked = Promise.withResolvers<null>();
  let onRecord = Promise.withResolvers<void>();
  let [arrivedBytes, segmentBytes] = [0, 0];
  let [isOver, isCut, keepsTail] = [false, false, !isAllOrNothing];

  return {
    arrivedBytes: () => arrivedBytes,
    /** Whether nothing more comes. */
    isOver: () => isOver,
    /** Whether that is because the connection broke or the client was too slow. */
    isCut: () => isCut,
    /** Whether a last segment that was cut may count. Not after a client was told the offset without it. */
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

    /** Says that the last segment is recorded. */
    recorded(): void {
      onRecord.resolve();
      asked = Promise.withResolvers();
      onRecord = Promise.withResolvers();
    },

    /** Ends the reading. */
    end(): void {
      isOver = true;
      onRecord.resolve();
      void chunks.return(undefined).catch(() => undefined);
    },

    /** Records what has arrived up to now; the offset is binding from then on. */
    async checkpoint(): Promise<void> {
      if (!isAllOrNothing && !isOver && segmentBytes > 0) {
        asked.resolve(null);
        await onRecord.promise;
      }
      keepsTail = false;
    },
  };
}
