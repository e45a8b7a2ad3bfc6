import { statfs } from "node:fs/promises";
import { StorageFailure } from "./object-store.ts";

/** The free space is looked at again after so many bytes. */
const LOOK_EVERY_BYTES = 4 * 1024 * 1024;

/**
 * The source, as long as so much stays free on the disk of the folder; fails with `store_full` at once where the expected bytes find no
 * room, or in the middle, as others write to the same disk meanwhile.
 */
export async function* leavingRoom(
  source: AsyncIterable<Uint8Array>,
  folder: string,
  minFreeBytes: number,
  expectedBytes = 0,
): AsyncGenerator<Uint8Array, void> {
  const requireFree = async (bytes: number): Promise<void> => {
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize - bytes < minFreeBytes)
      throw new StorageFailure("store_full", `less than ${minFreeBytes} bytes of the disk would be left`);
  };
  await requireFree(expectedBytes);
  let unseenBytes = 0;
  for await (const chunk of source) {
    unseenBytes += chunk.byteLength;
    if (unseenBytes >= LOOK_EVERY_BYTES) {
      await requireFree(0);
      unseenBytes = 0;
    }
    yield chunk;
  }
}
