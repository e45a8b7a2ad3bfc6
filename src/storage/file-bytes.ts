import { open, type FileHandle } from "node:fs/promises";

const READ_BYTES = 1024 * 1024;

/** The bytes of an open file, from its beginning. */
export async function* bytesOf(file: FileHandle): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; ;) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** The bytes of the file at a path, which is closed at their end. */
export async function* bytesAt(path: string): AsyncGenerator<Uint8Array, void> {
  await using file = await open(path, "r");
  yield* bytesOf(file);
}
