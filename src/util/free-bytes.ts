import { statfs } from "node:fs/promises";

/** The free bytes on the disk of a folder. */
export async function freeBytesAt(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
