import { statfs } from "node:fs/promises";
import { StorageFailure } from "./object-store.ts";

/** The number of bytes between two checks of the free space. */
const LOOK_EVERY_BYTES = 4 * 1024 * 1024;

/** The free bytes on the disk of a folder. */
export async function freeBytesAt(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Fails with `store_full` if these bytes would leave less than `minFreeBytes` free on the disk of the folder. */
export async function requireRoom(folder: string, minFreeBytes: number, bytes: number): Promise<void> {
  if ((await freeBytesAt(folder)) - bytes < minFreeBytes)
    throw new StorageFailure("store_full", `less than ${minFreeBytes} bytes of the disk would be left`);
}

/**
 * Passes the chunks on while `minFreeBytes` stay free on the disk of the folder. Fails with `store_full` at once if there is no
 * room for the expected bytes, or later if other programs fill the disk.
 */
export async function* leavingRoom(
  source: AsyncIterable<Uint8Array>,
  folder: string,
  minFreeBytes: number,
  expectedBytes = 0,
): AsyncGenerator<Uint8Array, void> {
  await requireRoom(folder, minFreeBytes, expectedBytes);
  let unseenBytes = 0;
  for await (const chunk of source) {
    unseenBytes += chunk.byteLength;
    if (unseenBytes >= LOOK_EVERY_BYTES) {
      await requireRoom(folder, minFreeBytes, 0);
      unseenBytes = 0;
    }
    yield chunk;
  }
}
