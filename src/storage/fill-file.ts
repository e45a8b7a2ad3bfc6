import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { drain } from "./drain.ts";
import { bytesOf } from "./file-bytes.ts";
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

/** Makes a file that another program has written an object of this service: its owner, its mode, its bytes on the disk. */
export async function seal(path: string, options: PutOptions): Promise<PutResult> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  const { uid, gid, nlink } = await file.stat();
  // By another name, that program could change it later.
  if (nlink !== 1) throw new Error("A file to store has a second name.");
  const [ownUid, ownGid] = [process.geteuid?.() ?? uid, process.getegid?.() ?? gid];
  if (uid !== ownUid || gid !== ownGid) await file.chown(ownUid, ownGid);
  await file.chmod(0o600);
  await file.sync();
  const { chunks, result } = drain(bytesOf(file), options);
  for await (const _ of chunks);
  return result();
}
