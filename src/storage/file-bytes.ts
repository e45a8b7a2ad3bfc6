import { constants, createReadStream } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { hashAndLimit, hashOf } from "./hash-and-limit.ts";
import type { PutOptions, PutResult } from "./object-store.ts";

const READ_BYTES = 1024 * 1024;

/** The bytes of the file at a path, which is opened when the first of them is read, and closed at their end. */
export async function* bytesAt(path: string): AsyncGenerator<Uint8Array, void> {
  yield* createReadStream(path, { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>;
}

/** Streams the source to the end of an open file, one chunk at a time, and syncs the file to the disk. */
export async function fill(file: FileHandle, source: AsyncIterable<Uint8Array>, options: PutOptions): Promise<PutResult> {
  const { chunks, result } = hashAndLimit(source, options);
  for await (const chunk of chunks) {
    await file.writeFile(chunk);
    if (options.freesChunks === true) free(chunk);
  }
  await file.sync();
  return result();
}

/**
 * Frees the memory of a chunk. V8 collects garbage after every few megabytes of chunks, and walks through the whole heap each time:
 * that took half of the time of an upload.
 */
function free({ buffer, byteLength }: Uint8Array): void {
  // A larger buffer may have other users.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
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
  return await hashOf(bytesAt(path), options);
}
