import type { Prisma, VideoUpload } from "#generated/prisma/client.ts";
import type { Tx } from "../database/client.ts";
import { keyset, type CreationWindow } from "../database/keyset.ts";
import type { PutResult } from "../storage/object-store.ts";
import type { FrameSize } from "./media/ffmpeg-args.ts";

export type VideoUploadRow = Omit<VideoUpload, "result"> & { readonly result: unknown };

/** A file that a job has made, and where its bytes are. */
export type StoredFile = FrameSize & PutResult & { readonly objectKey: string; readonly contentType: string };

/** What a succeeded job leaves in its row. */
export type StoredResult = FrameSize & {
  readonly container: string;
  readonly durationMs: number;
  readonly videoCodec: string;
  readonly audioCodec: string | null;
  readonly poster: StoredFile;
  readonly renditions: readonly (StoredFile & { readonly name: string; readonly durationMs: number })[];
};

/** Names one attempt at one upload. Whatever an attempt writes, it writes only while it is the present one. */
export type Fence = { readonly videoUploadId: string; readonly attempt: number };

export type NewUpload = Pick<VideoUploadRow, "id" | "ownerId" | "name" | "objectKey" | "sha256"> & { readonly sizeBytes: number };

const UNFINISHED = { status: { in: ["queued", "processing"] } };
/** The row of an attempt, while it is the present one. */
const present = ({ videoUploadId, attempt }: Fence) => ({ id: videoUploadId, attempt, status: "processing" });

export function insertUpload(tx: Tx, upload: NewUpload): Promise<VideoUploadRow> {
  return tx.videoUpload.create({ data: upload });
}

export function findUpload(tx: Tx, ownerId: string, id: string): Promise<VideoUploadRow | null> {
  return tx.videoUpload.findFirst({ where: { id, ownerId } });
}

export function findUploads(tx: Tx, ownerId: string, status: string | undefined, window: CreationWindow) {
  return tx.videoUpload.findMany(keyset(window, { ownerId, ...(status === undefined ? {} : { status }) }));
}

/** How many of an owner's uploads have not ended, counted no further than `max`. */
export function countUnfinished(tx: Tx, ownerId: string, max: number): Promise<number> {
  return tx.videoUpload.count({ where: { ownerId, ...UNFINISHED }, take: max });
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

/** Puts attempts back into the queue whose jobs wait for the next attempt, as their workers were lost. Returns how many. */
export function requeueAbandoned(tx: Tx, jobs: Prisma.Sql): Promise<number> {
  return tx.$executeRaw`
    UPDATE video_uploads upload SET status = 'queued', stage = NULL, percent = 0 FROM ${jobs} AS job
    WHERE job.id = upload.id AND job.state = 'retry' AND job.retry_count = upload.attempt - 1 AND upload.status = 'processing'`;
}

/** Whether there was one to remove. A worker that processes it notices by its next write. */
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
export async function isPresentAttempt(tx: Tx, fence: Fence): Promise<boolean> {
  return (await tx.videoUpload.count({ where: present(fence) })) === 1;
}

/** Puts an attempt back into the queue; false when it is no longer the present one. */
export async function requeueAttempt(tx: Tx, fence: Fence): Promise<boolean> {
  const data = { status: "queued", stage: null, percent: 0 };
  return (await tx.videoUpload.updateMany({ where: present(fence), data })).count === 1;
}

/** Ends an attempt with its result; null when it is no longer the present one. */
export function succeed(tx: Tx, fence: Fence, result: Prisma.InputJsonValue): Promise<VideoUploadRow | null> {
  return finish(tx, present(fence), { status: "succeeded", percent: 100, result });
}

/** Ends an attempt with the reason; null when it is no longer the present one. */
export function fail(tx: Tx, fence: Fence, errorCode: string, errorDetail: string): Promise<VideoUploadRow | null> {
  return finish(tx, present(fence), { status: "failed", errorCode, errorDetail });
}

/** Whether an attempt has ended with its result. Waits for a transaction of it that may still be on its way to the end. */
export async function hasSucceeded(tx: Tx, { videoUploadId, attempt }: Fence): Promise<boolean> {
  const [row] = await tx.$queryRaw<
    { status: string }[]
  >`SELECT status FROM video_uploads WHERE id = ${videoUploadId}::uuid AND attempt = ${attempt} FOR UPDATE`;
  return row?.status === "succeeded";
}

/** Ends an upload whose attempts all died; null when it has ended otherwise. */
export function failUnfinished(tx: Tx, id: string, errorCode: string, errorDetail: string): Promise<VideoUploadRow | null> {
  return finish(tx, { id, ...UNFINISHED }, { status: "failed", errorCode, errorDetail });
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

/** An upload that reserves storage. The reservation of a resumable one ends with its row. */
export type Claimant = { readonly id: string; readonly ownerId: string; readonly isResumable: boolean };

/**
 * Raises the reservation of an upload to so many bytes in all; it never lowers it. Does nothing for a resumable upload
 * that is gone: its next write finds that out.
 */
export async function reserve(tx: Tx, { id, ownerId, isResumable }: Claimant, bytes: number): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO upload_reservations AS mine (id, owner_id, partial_id, size_bytes)
    SELECT ${id}::uuid, ${ownerId}::uuid, ${isResumable ? id : null}::uuid, ${bytes}::bigint
    WHERE ${!isResumable} OR EXISTS (SELECT FROM partial_uploads WHERE id = ${id}::uuid FOR KEY SHARE)
    ON CONFLICT (id) DO UPDATE SET size_bytes = greatest(mine.size_bytes, excluded.size_bytes), touched_at = clock_timestamp()`;
}

export async function release(tx: Tx, id: string): Promise<void> {
  await tx.uploadReservation.deleteMany({ where: { id } });
}

/** What the user's uploads and reservations take up together, those of this transaction among them. */
export async function usedBytes(tx: Tx, ownerId: string): Promise<number> {
  const row = await tx.storageUsage.findUnique({ where: { userId: ownerId } });
  return Number(row?.sizeBytes ?? 0);
}

/** Releases reservations of plain uploads whose process has died. Returns how many. A slow upload is counted when it is complete. */
export function releaseAbandoned(tx: Tx, ageSeconds: number): Promise<number> {
  return tx.$executeRaw`
    DELETE FROM upload_reservations
    WHERE partial_id IS NULL AND touched_at < clock_timestamp() - make_interval(secs => ${ageSeconds}::double precision)`;
}
