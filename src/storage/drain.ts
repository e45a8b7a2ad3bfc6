import { createHash } from "node:crypto";
import { StorageFailure, type PutOptions, type PutResult } from "./object-store.ts";

/**
 * Hands the chunks of a source over one by one, counting and hashing on the way, and refuses what goes over the limit.
 * It ends at once when the signal is aborted, even while the source gives no sign, and leaves a source by `return()`
 * when anything fails.
 */
export async function drain(
  source: AsyncIterable<Uint8Array>,
  { maxBytes, signal }: PutOptions,
  take: (chunk: Uint8Array) => Promise<void>,
): Promise<PutResult> {
  const hash = createHash("sha256");
  const chunks = source[Symbol.asyncIterator]();
  let sizeBytes = 0;
  try {
    for (let next = await nextChunk(chunks, signal); next.done !== true; next = await nextChunk(chunks, signal)) {
      sizeBytes += next.value.byteLength;
      if (sizeBytes > maxBytes) throw new StorageFailure("too_large", `more than ${maxBytes} bytes`);
      hash.update(next.value);
      await take(next.value);
    }
  } catch (error) {
    // Not awaited: a source that is stuck would never answer, and there is nothing to learn from it.
    chunks.return?.()?.catch(() => undefined);
    throw error;
  }
  return { sizeBytes, sha256: hash.digest("hex") };
}

/** Waits for a chunk, but not for a source that is stuck: `stream.pipeline` never settles there (measured). */
function nextChunk(chunks: AsyncIterator<Uint8Array>, signal?: AbortSignal): Promise<IteratorResult<Uint8Array>> {
  if (signal === undefined) return chunks.next();
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = (): void => resolve(reasonOf(signal));
    signal.addEventListener("abort", stop, { once: true });
    chunks
      .next()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", stop));
  });
}

/** Rejects with the reason of an aborted signal. */
async function reasonOf(signal: AbortSignal): Promise<never> {
  signal.throwIfAborted();
  throw new Error("the signal is not aborted");
}
