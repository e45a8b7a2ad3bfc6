import type { Prisma } from "#generated/prisma/client.ts";
import type { Tx } from "../database/client.ts";
import { keyset, type CreationWindow } from "../database/keyset.ts";

export type VideoStatus = "queued" | "processing" | "succeeded" | "failed";
export type VideoUploadRow = {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string | null;
  readonly objectKey: string;
  readonly sizeBytes: bigint;
  readonly sha256: string;
  readonly status: string;
  readonly stage: string | null;
  readonly percent: number;
  readonly attempt: number;
  readonly errorCode: string | null;
  readonly errorDetail: string | null;
  readonly result: unknown;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
};
/** Names one attempt at one upload. Whatever an attempt writes, it writes only while it is the present one. */
export type Fence = { readonly videoUploadId: string; readonly attempt: number };

type NewUpload = { id: string; ownerId: string; name: string | null; objectKey: string; sizeBytes: number; sha256: string };

export function insertUpload(tx: Tx, upload: NewUpload): Promise<VideoUploadRow> {
  return tx.videoUpload.create({ data: upload });
}

export function findUpload(tx: Tx, ownerId: string, id: string): Promise<VideoUploadRow | null> {
  return tx.videoUpload.findFirst({ where: { id, ownerId } });
}

export function findUploads(
  tx: Tx,
  ownerId: string,
  status: VideoStatus | undefined,
  window: CreationWindow,
): Promise<VideoUploadRow[]> {
  return tx.videoUpload.findMany(keyset(window, { ownerId, ...(status === undefined ? {} : { status }) }));
}

/** How many of an owner's uploads have not ended, counted no further than `max`. */
export async function countUnfinished(tx: Tx, ownerId: string, max: number): Promise<number> {
  const [row] = await tx.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM (
      SELECT 1 FROM video_uploads WHERE owner_id = ${ownerId}::uuid AND status IN ('queued', 'processing') LIMIT ${max}) AS unfinished`;
  return row?.count ?? 0;
}

/** Uploads of before an instant that have not ended and have none of the `jobs` that wait or run; the oldest first. */
export async function findWithoutJob(tx: Tx, jobs: Prisma.Sql, before: Date, take: number): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT upload.id FROM video_uploads upload
    LEFT JOIN ${jobs} AS job ON job.id = upload.id
    WHERE upload.status IN ('queued', 'processing') AND upload.created_at < ${before} AND job.id IS NULL
    ORDER BY upload.created_at LIMIT ${take}`;
  return rows.map((it) => it.id);
}

/** Puts attempts back into the queue whose workers were lost, as their jobs show: those wait for the next attempt. Says how many. */
export function requeueAbandoned(tx: Tx, jobs: Prisma.Sql): Promise<number> {
  return tx.$executeRaw`
    UPDATE video_uploads upload SET status = 'queued', stage = NULL, percent = 0 FROM ${jobs} AS job
    WHERE job.id = upload.id AND job.state = 'retry' AND job.retry_count = upload.attempt - 1 AND upload.status = 'processing'`;
}

/** Whether there was one to remove. A worker that is at it notices by its next write. */
export async function removeUpload(tx: Tx, ownerId: string, id: string): Promise<boolean> {
  const { count } = await tx.videoUpload.deleteMany({ where: { id, ownerId } });
  return count === 1;
}

/** Begins an attempt; null when the upload is gone, has ended, or a later attempt has begun. */
export async function beginAttempt(tx: Tx, { videoUploadId, attempt }: Fence, stage: string): Promise<VideoUploadRow | null> {
  const begun = await tx.$executeRaw`
    UPDATE video_uploads SET status = 'processing', attempt = ${attempt}, stage = ${stage}, percent = 0, started_at = clock_timestamp()
    WHERE id = ${videoUploadId}::uuid AND status IN ('queued', 'processing') AND attempt < ${attempt}`;
  return begun === 1 ? tx.videoUpload.findUnique({ where: { id: videoUploadId } }) : null;
}

/** Notes how far an attempt is, never less than before; false when it is no longer the present one. */
export async function noteProgress(tx: Tx, { videoUploadId, attempt }: Fence, stage: string, percent: number): Promise<boolean> {
  const noted = await tx.$executeRaw`
    UPDATE video_uploads SET stage = ${stage}, percent = greatest(percent, ${Math.min(99, Math.floor(percent))}::int)
    WHERE id = ${videoUploadId}::uuid AND status = 'processing' AND attempt = ${attempt}`;
  return noted === 1;
}

/** Whether an attempt is still the present one. */
export async function isPresentAttempt(tx: Tx, { videoUploadId, attempt }: Fence): Promise<boolean> {
  return (await tx.videoUpload.count({ where: { id: videoUploadId, attempt, status: "processing" } })) === 1;
}

/** Puts an attempt back into the queue; false when it is no longer the present one. */
export async function requeueAttempt(tx: Tx, { videoUploadId, attempt }: Fence): Promise<boolean> {
  const { count } = await tx.videoUpload.updateMany({
    where: { id: videoUploadId, attempt, status: "processing" },
    data: { status: "queued", stage: null, percent: 0 },
  });
  return count === 1;
}

/** Ends an attempt with its result; null when it is no longer the present one. */
export function succeed(tx: Tx, fence: Fence, result: Prisma.InputJsonValue): Promise<VideoUploadRow | null> {
  return finish(
    tx,
    { id: fence.videoUploadId, attempt: fence.attempt, status: "processing" },
    { status: "succeeded", percent: 100, result },
  );
}

/** Ends an attempt with the reason; null when it is no longer the present one. */
export function fail(tx: Tx, fence: Fence, errorCode: string, errorDetail: string): Promise<VideoUploadRow | null> {
  return finish(
    tx,
    { id: fence.videoUploadId, attempt: fence.attempt, status: "processing" },
    { status: "failed", errorCode, errorDetail },
  );
}

/** Whether an attempt has ended with its result. Waits for a transaction of it that may still be on its way to the end. */
export async function hasSucceeded(tx: Tx, { videoUploadId, attempt }: Fence): Promise<boolean> {
  const [row] = await tx.$queryRaw<
    { status: string }[]
  >`SELECT status FROM video_uploads WHERE id = ${videoUploadId}::uuid AND attempt = ${attempt} FOR UPDATE`;
  return row?.status === "succeeded";
}

/** Ends an upload whose attempts all died; null when it has ended otherwise. */
export function failUnfinished(
  tx: Tx,
  videoUploadId: string,
  errorCode: string,
  errorDetail: string,
): Promise<VideoUploadRow | null> {
  return finish(
    tx,
    { id: videoUploadId, status: { in: ["queued", "processing"] } },
    { status: "failed", errorCode, errorDetail },
  );
}

async function finish(
  tx: Tx,
  where: Prisma.VideoUploadWhereInput & { id: string },
  data: Prisma.VideoUploadUpdateManyMutationInput,
): Promise<VideoUploadRow | null> {
  const { count } = await tx.videoUpload.updateMany({ where, data: { ...data, stage: null } });
  if (count === 0) return null;
  await tx.$executeRaw`UPDATE video_uploads SET finished_at = clock_timestamp() WHERE id = ${where.id}::uuid`;
  return tx.videoUpload.findUnique({ where: { id: where.id } });
}
