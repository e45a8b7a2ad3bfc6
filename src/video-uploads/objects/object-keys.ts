/**
 * Object keys: `video-uploads/<id>/original`, `<attempt>/` for the files of an attempt, and `pieces/` and `joined/` for a
 * resumable upload.
 */
import type { Logger } from "pino";
import type { ObjectStore } from "../../storage/object-store.ts";
import type { Fence } from "../store.ts";

/** The prefix of all keys of all uploads. */
export const ALL_UPLOADS = "video-uploads";

/** The prefix of all keys of an upload. */
export const folderOf = (id: string) => `${ALL_UPLOADS}/${id}`;

/** The prefix of the keys of the pieces that one request has stored. */
export const piecesOf = (id: string, writer: string) => `${folderOf(id)}/pieces/${writer}`;

/** The prefix of the keys of all files of an attempt. */
export const attemptFolderOf = ({ videoUploadId, attempt }: Fence) => `${folderOf(videoUploadId)}/${attempt}`;

/** The folder of the upload, all folders below it, and the key itself. */
export const withParentFolders = (key: string): string[] => {
  const segments = key.split("/");
  return segments.slice(1).map((_, index) => segments.slice(0, index + 2).join("/"));
};

/** The id of the upload of a key. For an object of another program, any text. */
export const uploadIdOf = (key: string) => key.split("/")[1] ?? "";

type StoreParts = { readonly objects: ObjectStore; readonly log: Logger };

/** Deletes objects that no committed row has ever needed. Only logs a failure of the store, because the orphan GC tries again. */
export async function removeObjectsNow({ objects, log }: StoreParts, ...prefixes: readonly string[]): Promise<void> {
  for (const prefix of prefixes)
    await objects.deletePrefix(prefix).catch((err: unknown) => log.warn({ err, prefix }, "objects could not be removed yet"));
}
