import type { Readable } from "node:stream";
import { neverIdle } from "../receive-body.ts";

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
export class Segments {
  arrivedBytes = 0;
  /** Whether the body has ended. */
  isOver = false;
  /** Whether the body ended early, because the connection broke or the client was too slow. */
  isCut = false;
  readonly #chunks: AsyncGenerator<Buffer>;
  #pending: Promise<IteratorResult<Buffer>> | null = null;
  #asked = Promise.withResolvers<null>();
  #onRecord = Promise.withResolvers<void>();
  #segmentBytes = 0;
  #askedBytes = Infinity;

  constructor(body: Readable, idleMs: number) {
    this.#chunks = neverIdle(body, idleMs);
  }

  /** The chunks of the next segment. */
  async *next(span: Span): AsyncGenerator<Buffer> {
    let isSlow = false;
    using _ = setTimeout(() => {
      isSlow = true;
      if (this.#segmentBytes >= span.slowBytes) this.#asked.resolve(null);
    }, SEGMENT_MAX_MS);
    this.#segmentBytes = 0;
    this.#askedBytes = span.askedBytes;
    while (this.#segmentBytes < (isSlow ? span.slowBytes : span.mostBytes)) {
      this.#pending ??= this.#chunks.next();
      try {
        const result = await Promise.race([this.#pending, this.#asked.promise]);
        if (result === null) return;
        this.#pending = null;
        if (result.done === true) return void (this.isOver = true);
        this.arrivedBytes += result.value.length;
        this.#segmentBytes += result.value.length;
        yield result.value;
      } catch {
        [this.isOver, this.isCut] = [true, true];
        return;
      }
    }
  }

  /** Reports that the last segment is recorded. */
  recorded(): void {
    this.#segmentBytes = 0;
    this.#onRecord.resolve();
    this.#asked = Promise.withResolvers();
    this.#onRecord = Promise.withResolvers();
  }

  /** Stops reading. */
  end(): void {
    this.isOver = true;
    this.#onRecord.resolve();
    void this.#chunks.return(undefined).catch(() => undefined);
  }

  /** Waits until the bytes received so far are recorded, unless they are too few for that. */
  async checkpoint(): Promise<void> {
    if (this.isOver || this.#segmentBytes === 0 || this.#segmentBytes < this.#askedBytes) return;
    this.#asked.resolve(null);
    await this.#onRecord.promise;
  }
}
