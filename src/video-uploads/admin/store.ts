import { lockUpload as lockRow } from "#generated/sql/video-uploads.ts";
import * as sql from "#generated/sql/video-uploads/job-states.ts";
import type { Tx } from "../../database/client.ts";
import type { AnyJob } from "../../jobs/job.ts";
export type { FindObservedRow as ObservedUpload } from "#generated/sql/video-uploads/job-states.ts";
import type { VideoUploadRow } from "../store.ts";

type Filter = { readonly statuses: readonly string[]; readonly olderThanSeconds: number; readonly after: string | null };

/** One page of the uploads with these statuses, in the order of their ids, each with the state of its job. */
export const findObserved = (tx: Tx, { queue }: Pick<AnyJob<never>, "queue">, filter: Filter, limit: number) =>
  sql.findObserved(tx, { ...filter, queue: queue.name, limit });

/** One page of all uploads, in the order of their ids. */
export function findAll(tx: Tx, after: string | null, take: number): Promise<VideoUploadRow[]> {
  return tx.videoUpload.findMany({ ...(after === null ? {} : { where: { id: { gt: after } } }), orderBy: { id: "asc" }, take });
}

/** Reads an upload of any owner, and locks it until the transaction ends. */
export async function lockUpload(tx: Tx, id: string): Promise<VideoUploadRow | null> {
  await lockRow(tx, { id });
  return tx.videoUpload.findUnique({ where: { id } });
}

/** Sets an unfinished upload back to `queued`. Its next attempt has a higher number, so a running one can write nothing more. */
export async function requeue(tx: Tx, id: string): Promise<void> {
  await tx.videoUpload.update({ where: { id }, data: { status: "queued", stage: null, percent: 0 } });
}
