import { createHash } from "node:crypto";
import { StorageFailure, type PutOptions, type PutResult } from "./object-store.ts";

/**
 * Checks, counts and hashes the chunks of a source. Fails with `too_large` after more than `maxBytes`, or when the signal aborts.
 */
export function hashAndLimit(source: AsyncIterable<Uint8Array>, options: Partial<PutOptions>) {
  const { maxBytes = Infinity, check, signal, hash = createHash("sha256") } = options;
  let sizeBytes = 0;
  async function* pass(): AsyncGenerator<Uint8Array, void> {
    for await (const chunk of source) {
      signal?.throwIfAborted();
      sizeBytes += chunk.byteLength;
      await check?.(chunk, sizeBytes);
      if (sizeBytes > maxBytes) throw new StorageFailure("too_large", `more than ${maxBytes} bytes`);
      hash.update(chunk);
      yield chunk;
    }
  }
  /** The size and the hash of the chunks so far. */
  const result = (): PutResult => ({ sizeBytes, sha256: hash.copy().digest("hex") });
  return { chunks: pass(), result };
}

/** Reads a source to its end, and returns its size and hash. */
export async function hashOf(source: AsyncIterable<Uint8Array>, options: Partial<PutOptions> = {}): Promise<PutResult> {
  const { chunks, result } = hashAndLimit(source, options);
  for await (const _ of chunks);
  return result();
}
