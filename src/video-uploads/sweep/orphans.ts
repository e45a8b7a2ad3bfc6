import type { Db } from "../../database/client.ts";
import { attemptFolderOf, isUploadId, uploadIdOf } from "../object-keys.ts";

/** Why nobody has a use for an object. The last is a setting's doing; the others should be few. */
export type OrphanReason = "unknown_upload" | "other_attempt" | "original_not_kept";
export type Orphan = { readonly key: string; readonly reason: OrphanReason };

/** Those of the keys that no upload has a use for as it stands now. */
export async function orphansAmong(db: Db, keys: readonly string[], keepOriginals: boolean): Promise<Orphan[]> {
  const where = { id: { in: [...new Set(keys.map(uploadIdOf).filter(isUploadId))] } };
  // In this order: an upload leaves the first table when it enters the second.
  const partials = await db.partialUpload.findMany({ where, select: { id: true } });
  const rows = await db.videoUpload.findMany({ where, select: { id: true, objectKey: true, attempt: true, status: true } });
  const unfinished = new Set(partials.map(({ id }) => id));
  const rowById = new Map(rows.map((row) => [row.id, row]));
  return keys.flatMap((key) => {
    const row = rowById.get(uploadIdOf(key));
    if (row === undefined) return unfinished.has(uploadIdOf(key)) ? [] : [{ key, reason: "unknown_upload" as const }];
    const reason = reasonFor(row, key, keepOriginals);
    return reason === null ? [] : [{ key, reason }];
  });
}

type Row = { readonly id: string; readonly objectKey: string; readonly attempt: number; readonly status: string };

function reasonFor({ id, objectKey, attempt, status }: Row, key: string, keepOriginals: boolean): OrphanReason | null {
  if (key === objectKey) return keepOriginals || status !== "succeeded" ? null : "original_not_kept";
  // What an attempt has made is of use while it runs and when it has succeeded; the next one begins anew.
  const isOfUse = status === "processing" || status === "succeeded";
  return isOfUse && key.startsWith(`${attemptFolderOf({ videoUploadId: id, attempt })}/`) ? null : "other_attempt";
}
