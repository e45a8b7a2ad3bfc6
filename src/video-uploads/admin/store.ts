import { lockUpload as lockRow } from "#generated/sql/video-uploads.ts";
import type { Tx } from "../../database/client.ts";
import type { VideoUploadRow } from "../store.ts";

export { findObserved, type FindObservedRow as ObservedUpload } from "#generated/sql/video-uploads/job-states.ts";

/** One page of all uploads, in the order of their ids. */
export function findAll(tx: Tx, after: string | null, take: number): Promise<VideoUploadRow[]> {
  return tx.videoUpload.findMany({ ...(after === null ? {} : { where: { id: { gt: after } } }), orderBy: { id: "asc" }, take });
}

/** Reads an upload of any owner, and locks it until the transaction ends. */
export async function lockUpload(tx: Tx, id: string): Promise<VideoUploadRow | null> {
  await lockRow(tx, { id });
  return tx.videoUpload.findUnique({ where: { id } });
}
