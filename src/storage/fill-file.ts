import type { FileHandle } from "node:fs/promises";
import { drain } from "./drain.ts";
import type { PutOptions, PutResult } from "./object-store.ts";

/** Streams the source to the end of an open file, one chunk at a time, and syncs the file to the disk. */
export async function fill(file: FileHandle, source: AsyncIterable<Uint8Array>, options: PutOptions): Promise<PutResult> {
  const { chunks, result } = drain(source, options);
  await file.writeFile(options.freesChunks === true ? freed(chunks) : chunks);
  await file.sync();
  return result();
}

/**
 * Passes the chunks on, and frees the memory of each one after it is written. V8 collects garbage after every few megabytes of
 * chunks, and walks through the whole heap each time: that took half of the time of an upload.
 */
async function* freed(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    yield chunk;
    const { buffer } = chunk;
    // A larger buffer may have other users.
    if (buffer instanceof ArrayBuffer && buffer.byteLength === chunk.byteLength) buffer.transfer(0);
  }
}
