import { createHash } from "node:crypto";
import { addAbortListener } from "node:events";
import { StorageFailure, type PutOptions, type PutResult } from "./object-store.ts";

/**
 * The chunks of a source one by one, counted and hashed; more than the limit fails. It ends at once when the signal is
 * aborted, even while the source gives no sign, and leaves a source by `return()` when anything fails.
 */
export function drain(source: AsyncIterable<Uint8Array>, { maxBytes, signal }: PutOptions) {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  async function* pass(): AsyncGenerator<Uint8Array, void> {
    const chunks = source[Symbol.asyncIterator]();
    try {
      for (let next = await nextChunk(chunks, signal); next.done !== true; next = await nextChunk(chunks, signal)) {
        sizeBytes += next.value.byteLength;
        if (sizeBytes > maxBytes) throw new StorageFailure("too_large", `more than ${maxBytes} bytes`);
        hash.update(next.value);
        yield next.value;
      }
    } finally {
      // Not awaited: a source that is stuck would never answer, and there is nothing to learn from it.
      chunks.return?.()?.catch(() => undefined);
    }
  }
  /** What has passed, when all has. */
  const result = (): PutResult => ({ sizeBytes, sha256: hash.digest("hex") });
  return { chunks: pass(), result };
}

/** Waits for a chunk, but not for a source that is stuck: `stream.pipeline` never settles there (measured). */
async function nextChunk<T>(chunks: AsyncIterator<T>, signal: AbortSignal | undefined): Promise<IteratorResult<T>> {
  if (signal === undefined) return chunks.next();
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  using _ = addAbortListener(signal, () => aborted.reject(signal.reason));
  return await Promise.race([chunks.next(), aborted.promise]);
}
