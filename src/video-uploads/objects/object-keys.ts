/**
 * Keys in the object store. Below `video-uploads/<id>/` are `original` (the uploaded file), `<attempt>/` (the files that an
 * attempt makes) and, for a resumable upload, `pieces/` and `joined/`.
 */
import type { Logger } from "pino";
import type { ObjectStore } from "../../storage/object-store.ts";
import type { Fence } from "../store.ts";

/** The prefix of all keys of all uploads. */
export const ALL_UPLOADS = "video-uploads";

/** The prefix of all keys of an upload. */
export const folderOf = (id: string) => `${ALL_UPLOADS}/${id}`;

/** The prefix of the keys of all pieces of a resumable upload, up to the id of the request that has stored them. */
export const piecesOf = (id: string, writer: string) => `${folderOf(id)}/pieces/${writer}`;

/** The prefix of the keys of all files that an attempt makes. */
export const attemptFolderOf = ({ videoUploadId, attempt }: Fence) => `${folderOf(videoUploadId)}/${attempt}`;

/** The key of an object of an upload, and the folders that it is in, from that of its upload on. */
export const placesOf = (key: string): string[] => {
  const segments = key.split("/");
  return segments.slice(1).map((_, index) => segments.slice(0, index + 2).join("/"));
};

/** The id of the upload that a key belongs to. For an object of another program, any text. */
export const uploadIdOf = (key: string) => key.split("/")[1] ?? "";

type StoreParts = { readonly objects: ObjectStore; readonly log: Logger };

/** Removes objects that no committed row has ever needed. Only logs a failure of the store, because the sweep tries again. */
export async function removeObjectsNow({ objects, log }: StoreParts, ...prefixes: readonly string[]): Promise<void> {
  for (const prefix of prefixes)
    await objects.deletePrefix(prefix).catch((err: unknown) => log.warn({ err, prefix }, "objects could not be removed yet"));
}
