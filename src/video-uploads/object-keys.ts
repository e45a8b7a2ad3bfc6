/** Where things lie in the object store: `video-uploads/<id>/original`, and what an attempt has made under `video-uploads/<id>/<attempt>/`. */
import type { Logger } from "pino";
import type { ObjectStore } from "../storage/object-store.ts";
import type { Fence } from "./store.ts";

/** Everything that is stored for any upload has a key below this. */
export const ALL_UPLOADS = "video-uploads";

/** Everything that is stored for an upload has a key below this. */
export const folderOf = (id: string) => `${ALL_UPLOADS}/${id}`;

/** Everything that an attempt has made has a key below this. */
export const attemptFolderOf = ({ videoUploadId, attempt }: Fence) => `${folderOf(videoUploadId)}/${attempt}`;

/** The id of the upload that a key belongs to, or whatever stands in its place. */
export const uploadIdOf = (key: string) => key.split("/")[1] ?? "";

type Parts = { readonly objects: ObjectStore; readonly log: Logger };

/** Removes objects that nothing refers to any more. A store that fails is only logged: a job or the sweep tries again. */
export async function removeObjectsNow({ objects, log }: Parts, prefix: string): Promise<void> {
  await objects
    .deletePrefix(prefix)
    .catch((error: unknown) => log.warn({ err: error, prefix }, "objects could not be removed yet"));
}
