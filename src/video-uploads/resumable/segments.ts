import type { Readable } from "node:stream";
import { withIdleTimeout } from "../receive-body.ts";

/** When a segment ends. With Infinity, it ends only with the body. */
export type SegmentSize = {
  /** The segment ends at this number of bytes. */
  readonly maxBytes: number;
  /** The same after `SEGMENT_MAX_MS`, because the client is slow. */
  readonly slowBytes: number;
  /** The same after a client has asked for the offset. */
  readonly askedBytes: number;
};

export const UNLIMITED: SegmentSize = { maxBytes: Infinity, slowBytes: Infinity, askedBytes: Infinity };

const SEGMENT_MAX_MS = 2_000;

/**
 * Splits the body of a request into segments. Each is durable before the next one begins, so that it survives a killed process.
 */
export class Segments {
  arrivedBytes = 0;
  /** Whether the body has ended. */
  isEnded = false;
  /** Whether the body ended early, because the connection broke or the client was too slow. */
  isTruncated = false;
  readonly #chunks: AsyncGenerator<Buffer>;
  #pending: Promise<IteratorResult<Buffer>> | null = null;
  #asked = Promise.withResolvers<null>();
  #durable = Promise.withResolvers<void>();
  #segmentBytes = 0;
  #askedBytes = Infinity;

  constructor(body: Readable, idleMs: number) {
    this.#chunks = withIdleTimeout(body, idleMs);
  }

  /** The chunks of the next segment. */
  async *next(size: SegmentSize): AsyncGenerator<Buffer> {
    let isSlow = false;
    using _ = setTimeout(() => {
      isSlow = true;
      if (this.#segmentBytes >= size.slowBytes) this.#asked.resolve(null);
    }, SEGMENT_MAX_MS);
    this.#segmentBytes = 0;
    this.#askedBytes = size.askedBytes;
    while (this.#segmentBytes < (isSlow ? size.slowBytes : size.maxBytes)) {
      this.#pending ??= this.#chunks.next();
      try {
        const result = await Promise.race([this.#pending, this.#asked.promise]);
        if (result === null) return;
        this.#pending = null;
        if (result.done === true) return void (this.isEnded = true);
        this.arrivedBytes += result.value.length;
        this.#segmentBytes += result.value.length;
        yield result.value;
      } catch {
        [this.isEnded, this.isTruncated] = [true, true];
        return;
      }
    }
  }

  /** Reports that the last segment is durable. */
  markDurable(): void {
    this.#segmentBytes = 0;
    this.#durable.resolve();
    this.#asked = Promise.withResolvers();
    this.#durable = Promise.withResolvers();
  }

  /** Stops reading. */
  end(): void {
    this.isEnded = true;
    this.#durable.resolve();
    void this.#chunks.return(undefined).catch(() => undefined);
  }

  /** Waits until the bytes received so far are durable, unless they are too few for a piece. */
  async checkpoint(): Promise<void> {
    if (this.isEnded || this.#segmentBytes === 0 || this.#segmentBytes < this.#askedBytes) return;
    this.#asked.resolve(null);
    await this.#durable.promise;
  }
}
