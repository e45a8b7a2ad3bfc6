import type { Schemas } from "../contract/contract.ts";
import type { Tx } from "../database/client.ts";
import { etagOf } from "../etag.ts";
import type { JobQueue } from "../jobs/jobs.ts";
import { processVideo } from "./jobs.ts";
import { release } from "./reservation-store.ts";
import { videoResult, type StoredResult } from "./wire.ts";
import type { StorageQuota } from "./storage-quota.ts";
import { countUnfinished, insertUpload, type VideoUploadRow } from "./store.ts";

type Upload = Parameters<typeof insertUpload>[1];

/** How long a client should wait before it asks again. */
export const POLL_SECONDS = 1;
/** Whoever has so many waiting is put off no further; to count on would cost as much as there are. */
const WAITING_COUNTED_MAX = 100;
/** How much later than now each earlier job of the same owner lets a job come: about what the longest take. */
const BEHIND_EACH_SECONDS = 300;

type Parts = { readonly queue: JobQueue; readonly quota: StorageQuota };

/**
 * The row and its job, in the caller's transaction: no 202 without a job, no job without its bytes, which are durable
 * already. The row takes over the room that the upload had taken.
 */
export async function acceptUpload(tx: Tx, { queue, quota }: Parts, upload: Upload) {
  await release(tx, upload.id);
  const waitingBefore = await countUnfinished(tx, upload.ownerId, WAITING_COUNTED_MAX);
  const row = await insertUpload(tx, upload);
  await quota.requireRoom(tx, upload.ownerId);
  const behindSeconds = waitingBefore * BEHIND_EACH_SECONDS;
  await queue.enqueue(tx, processVideo, { videoUploadId: upload.id }, { id: upload.id, behindSeconds });
  const body = videoUpload(row);
  const headers = { Location: `/video-uploads/${upload.id}`, ETag: etagOf(body), "Retry-After": POLL_SECONDS };
  return { status: 202, headers, body } as const;
}

/** An upload as it was when it was accepted, whatever has become of it: the same answer for the same request. */
export function acceptedUpload(row: VideoUploadRow): Schemas["VideoUpload"] {
  return {
    ...videoUpload(row),
    status: "queued",
    progress: { percent: 0, stage: null },
    attempt: 0,
    error: null,
    result: null,
    started_at: null,
    finished_at: null,
  };
}

/** Row to wire, field by field, so that a new column is never sent by accident. */
export function videoUpload(row: VideoUploadRow): Schemas["VideoUpload"] {
  return {
    id: row.id,
    status: row.status as Schemas["VideoUploadStatus"],
    name: row.name,
    size_bytes: Number(row.sizeBytes),
    sha256: row.sha256,
    progress: { percent: row.percent, stage: row.stage },
    attempt: row.attempt,
    error: row.errorCode === null ? null : { code: row.errorCode, detail: row.errorDetail ?? "" },
    result: row.result === null ? null : videoResult(row.id, row.result as StoredResult),
    created_at: row.createdAt.toISOString(),
    started_at: row.startedAt?.toISOString() ?? null,
    finished_at: row.finishedAt?.toISOString() ?? null,
  };
}
