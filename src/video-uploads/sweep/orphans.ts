import type { Db } from "../../database/client.ts";
import { attemptFolderOf, uploadIdOf } from "../object-keys.ts";
import { findUploadsOf, type Orphan, type OrphanReason, type UploadRow } from "./store.ts";

/** Those of the keys that no upload uses at present. */
export async function orphansAmong(db: Db, keys: readonly string[], keepOriginals: boolean): Promise<Orphan[]> {
  const { partials, uploads } = await findUploadsOf(db, keys.map(uploadIdOf));
  const unfinished = new Set(partials.map(({ id }) => id));
  const rowById = new Map(uploads.map((row) => [row.id, row]));
  return keys.flatMap((key) => {
    const row = rowById.get(uploadIdOf(key));
    if (row === undefined) return unfinished.has(uploadIdOf(key)) ? [] : [{ key, reason: "unknown_upload" as const }];
    const reason = reasonFor(row, key, keepOriginals);
    return reason === null ? [] : [{ key, reason }];
  });
}

function reasonFor({ id, objectKey, attempt, status }: UploadRow, key: string, keepOriginals: boolean): OrphanReason | null {
  if (key === objectKey) return keepOriginals || status !== "succeeded" ? null : "original_not_kept";
  // What an attempt has made is of use while it runs and when it has succeeded; the next one begins anew.
  const isOfUse = status === "processing" || status === "succeeded";
  return isOfUse && key.startsWith(`${attemptFolderOf({ videoUploadId: id, attempt })}/`) ? null : "other_attempt";
}
