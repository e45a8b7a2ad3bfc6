/** The names of files in the folder of an object store. A new name survives a power failure. */
import { constants } from "node:fs";
import { copyFile, link, open, rmdir } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { makeFolder } from "../util/make-folder.ts";

/** Gives a finished file its name. */
export type Naming = (unfinished: string, target: string) => Promise<void>;

/** Gives a finished file its name by `rename` or a link. The name is durable when the promise resolves. */
export async function publish(unfinished: string, target: string, name: Naming): Promise<void> {
  const folder = dirname(target);
  await makeDurableFolder(folder);
  try {
    await name(unfinished, target);
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
    // A concurrent deletePrefix removed the folder between the two steps, so make it again.
    await makeDurableFolder(folder);
    await name(unfinished, target);
  }
  await syncFolder(folder);
}

/** Gives a file a second name, which must not exist. `beforeCopy` can refuse a copy. */
export async function linkOrCopy(file: string, path: string, beforeCopy?: () => Promise<void>): Promise<void> {
  try {
    await link(file, path);
  } catch (error) {
    if (!hasCode(error, "EXDEV", "EPERM", "EMLINK", "ENOTSUP", "ENOSYS")) throw error;
    await beforeCopy?.();
    // Another file system, or one without hard links. The copy shares its blocks where the file system supports that.
    await copyFile(file, path, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  }
}

/** Removes an empty folder and then each empty parent, but not `rootDir`. */
export async function removeEmptyFolders(folder: string, rootDir: string): Promise<void> {
  for (let empty = folder; empty.startsWith(join(rootDir, sep)); empty = dirname(empty)) {
    try {
      await rmdir(empty);
    } catch (error) {
      if (hasCode(error, "ENOENT")) continue;
      // The folder is not empty, or a concurrent put uses it.
      if (hasCode(error, "ENOTEMPTY", "EEXIST", "ENOTDIR", "EBUSY", "EPERM")) return;
      throw error;
    }
  }
}

/** Makes a folder and its parents. Syncs the parent of each new folder, so that it survives a power failure. */
export async function makeDurableFolder(folder: string): Promise<void> {
  const firstMade = await makeFolder(folder, 0o700);
  if (firstMade === null) return;
  for (let made = folder; made.length >= firstMade.length; made = dirname(made)) await syncFolder(dirname(made));
}

async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, "r");
  await handle.sync();
}

/** Whether an error means that nothing exists at a path. ENOTDIR: the path has a file instead of a folder. */
export const isMissing = (error: unknown) => hasCode(error, "ENOENT", "ENOTDIR");

export const hasCode = (error: unknown, ...codes: string[]) => codes.includes(String((error as { code?: unknown } | null)?.code));
