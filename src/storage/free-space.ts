import { freeBytesAt } from "../util/free-bytes.ts";
import { StorageFailure } from "./object-store.ts";

/** How many bytes to pass between two checks of the free space. */
const CHECK_EVERY_BYTES = 4 * 1024 * 1024;

/** Fails with `store_full` if these bytes would leave less than `minFreeBytes` free on the disk of the folder. */
export async function requireFreeSpace(folder: string, minFreeBytes: number, bytes: number): Promise<void> {
  if ((await freeBytesAt(folder)) - bytes < minFreeBytes)
    throw new StorageFailure("store_full", `less than ${minFreeBytes} bytes of the disk would be left`);
}

/**
 * Passes the chunks on. Fails with `store_full` if the expected bytes don't fit, or if less than `minFreeBytes` are free later.
 */
export async function* guardFreeSpace(
  source: AsyncIterable<Uint8Array>,
  folder: string,
  minFreeBytes: number,
  expectedBytes = 0,
): AsyncGenerator<Uint8Array, void> {
  await requireFreeSpace(folder, minFreeBytes, expectedBytes);
  let uncheckedBytes = 0;
  for await (const chunk of source) {
    uncheckedBytes += chunk.byteLength;
    if (uncheckedBytes >= CHECK_EVERY_BYTES) {
      await requireFreeSpace(folder, minFreeBytes, 0);
      uncheckedBytes = 0;
    }
    yield chunk;
  }
}
