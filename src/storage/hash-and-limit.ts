import { createHash } from "node:crypto";
import { addAbortListener } from "node:events";
import { StorageFailure, type PutOptions, type PutResult } from "./object-store.ts";

/**
 * Passes the chunks of a source on, checked, counted and hashed, and fails with `too_large` after more than `maxBytes`. An aborted
 * signal ends it at once, even if the source is stuck. On any failure it calls `return()` of the source.
 */
export function hashAndLimit(source: AsyncIterable<Uint8Array>, options: PutOptions) {
  const { maxBytes, check, signal, hash = createHash("sha256") } = options;
  let sizeBytes = 0;
  async function* pass(): AsyncGenerator<Uint8Array, void> {
    const chunks = source[Symbol.asyncIterator]();
    try {
      for (let next = await nextChunk(chunks, signal); next.done !== true; next = await nextChunk(chunks, signal)) {
        sizeBytes += next.value.byteLength;
        await check?.(next.value, sizeBytes);
        if (sizeBytes > maxBytes) throw new StorageFailure("too_large", `more than ${maxBytes} bytes`);
        hash.update(next.value);
        yield next.value;
      }
    } finally {
      // Not awaited, because a stuck source never settles. The result does not matter.
      chunks.return?.()?.catch(() => undefined);
    }
  }
  /** The size and the hash of the chunks that have passed so far. */
  const result = (): PutResult => ({ sizeBytes, sha256: hash.copy().digest("hex") });
  return { chunks: pass(), result };
}

/** Reads a source to its end, for its size and hash. */
export async function hashOf(
  source: AsyncIterable<Uint8Array>,
  options: PutOptions = { maxBytes: Infinity },
): Promise<PutResult> {
  const { chunks, result } = hashAndLimit(source, options);
  for await (const _ of chunks);
  return result();
}

/** Waits for a chunk or the signal. With a stuck source, `stream.pipeline` never settles, even when aborted (measured). */
async function nextChunk<T>(chunks: AsyncIterator<T>, signal: AbortSignal | undefined): Promise<IteratorResult<T>> {
  if (signal === undefined) return chunks.next();
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  using _ = addAbortListener(signal, () => aborted.reject(signal.reason));
  return await Promise.race([chunks.next(), aborted.promise]);
}
