import { constants, createReadStream } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { hashAndLimit, hashOf } from "./hash-and-limit.ts";
import type { PutOptions, PutResult } from "./object-store.ts";

const READ_BYTES = 1024 * 1024;

/** Reads the file at a path. Opens it for the first byte, and closes it after the last one. */
export async function* bytesAt(path: string): AsyncGenerator<Uint8Array, void> {
  yield* createReadStream(path, { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>;
}

/** Appends the source to an open file, one chunk at a time, and syncs the file to the disk. */
export async function fill(file: FileHandle, source: AsyncIterable<Uint8Array>, options: PutOptions): Promise<PutResult> {
  const { chunks, result } = hashAndLimit(source, options);
  for await (const chunk of chunks) {
    await file.writeFile(chunk);
    if (options.freesChunks === true) free(chunk);
  }
  await file.sync();
  return result();
}

/** Frees the memory of a chunk. Otherwise V8 collects garbage every few megabytes, which took half of the time of an upload. */
function free({ buffer, byteLength }: Uint8Array): void {
  // Other code may use a larger buffer.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

/** Takes over a file that another program has written: sets owner and mode, syncs it, and hashes it. */
export async function seal(path: string, options: PutOptions): Promise<PutResult> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  const { uid, gid, nlink } = await file.stat();
  // With a second hard link, the program could change the file later.
  if (nlink !== 1) throw new Error("A file to store has a second name.");
  const [ownUid, ownGid] = [process.geteuid?.() ?? uid, process.getegid?.() ?? gid];
  if (uid !== ownUid || gid !== ownGid) await file.chown(ownUid, ownGid);
  await file.chmod(0o600);
  await file.sync();
  return await hashOf(bytesAt(path), options);
}
