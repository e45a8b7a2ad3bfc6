import type { Readable } from "node:stream";
import { watched } from "../receive-body.ts";

export type Segments = ReturnType<typeof createSegments>;

/** How long a segment can be. Infinity: it ends only with the body. */
export type Span = {
  /** A segment ends when it has this many bytes. */
  readonly mostBytes: number;
  /** The same for a segment that has lasted for `SEGMENT_MAX_MS`, because the client is slow. */
  readonly slowBytes: number;
  /** The same for a segment in which a client asks for the offset. */
  readonly askedBytes: number;
};

export const UNDIVIDED: Span = { mostBytes: Infinity, slowBytes: Infinity, askedBytes: Infinity };

const SEGMENT_MAX_MS = 2_000;

/**
 * Splits the body of a request into segments. Each is recorded before the next one begins, so that it counts even if the
 * process is killed, and when a client asks for the offset.
 */
export function createSegments(body: Readable, idleMs: number) {
  const idle = Promise.withResolvers<never>();
  idle.promise.catch(() => undefined);
  // The connection stays open, so that a client that is too slow gets a response.
  const chunks = watched(body, idleMs, () => idle.reject(new Error("too slow")));
  let next: Promise<IteratorResult<Buffer>> | null = null;
  let asked = Promise.withResolvers<null>();
  let onRecord = Promise.withResolvers<void>();
  let [arrivedBytes, segmentBytes, askedBytes] = [0, 0, Infinity];
  let [isOver, isCut] = [false, false];

  return {
    arrivedBytes: () => arrivedBytes,
    /** Whether the body has ended. */
    isOver: () => isOver,
    /** Whether the body ended early, because the connection broke or the client was too slow. */
    isCut: () => isCut,

    async *segment(span: Span): AsyncGenerator<Buffer> {
      let isSlow = false;
      using _ = setTimeout(() => {
        isSlow = true;
        if (segmentBytes >= span.slowBytes) asked.resolve(null);
      }, SEGMENT_MAX_MS);
      segmentBytes = 0;
      askedBytes = span.askedBytes;
      while (segmentBytes < (isSlow ? span.slowBytes : span.mostBytes)) {
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
      segmentBytes = 0;
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

    /** Waits until the bytes received so far are recorded, unless they are too few for that. */
    async checkpoint(): Promise<void> {
      if (isOver || segmentBytes === 0 || segmentBytes < askedBytes) return;
      asked.resolve(null);
      await onRecord.promise;
    },
  };
}
