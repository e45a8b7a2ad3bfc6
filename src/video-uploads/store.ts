import type { NotificationKind } from "#generated/operations.ts";
import { Prisma, type VideoUpload } from "#generated/prisma/client.ts";
import type { Tx } from "../database/client.ts";
import { keyset, type CreationWindow } from "../database/keyset.ts";
import type { PutResult } from "../storage/object-store.ts";
import type { FrameSize } from "./media/frame-size.ts";

export type VideoUploadRow = Omit<VideoUpload, "result"> & { readonly result: unknown };

/** A file that a job has made, with the key of its object. */
export type StoredFile = FrameSize & PutResult & { readonly objectKey: string; readonly contentType: string };

/** The result of a job, as its row stores it. */
export type StoredResult = FrameSize & {
  readonly container: string;
  readonly durationMs: number;
  readonly videoCodec: string;
  readonly audioCodec: string | null;
  readonly poster: StoredFile;
  readonly renditions: readonly (StoredFile & { readonly name: string; readonly durationMs: number })[];
};

/** Identifies one attempt at one upload. An attempt writes to the row only while it is the current one. */
export type Fence = { readonly videoUploadId: string; readonly attempt: number };

export type NewUpload = Pick<VideoUploadRow, "id" | "ownerId" | "name" | "objectKey" | "sha256"> & { readonly sizeBytes: number };

const UNFINISHED = { status: { in: ["queued", "processing"] } };
/** Matches the row of an attempt while it is the current one. */
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

/** Counts an owner's unfinished uploads, up to `max`. Prisma's count would sort them all. */
export async function countUnfinished(tx: Tx, ownerId: string, max: number): Promise<number> {
  const counts = UNFINISHED.status.in.map(
    (status) => Prisma.sql`(SELECT count(*) FROM (
      SELECT FROM video_uploads WHERE owner_id = ${ownerId}::uuid AND status = ${status}
      ORDER BY created_at DESC, id DESC LIMIT ${max}) AS newest)`,
  );
  const [row] = await tx.$queryRaw<{ count: number }[]>`SELECT least((${Prisma.join(counts, " + ")})::int, ${max}::int) AS count`;
  return row!.count;
}

/** The ids of unfinished uploads, created before an instant, that have none of the unfinished `jobs`. Oldest first. */
export async function findWithoutJob(tx: Tx, jobs: Prisma.Sql, before: Date, take: number): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT upload.id FROM video_uploads upload
    LEFT JOIN ${jobs} AS job ON job.id = upload.id
    WHERE upload.status IN ('queued', 'processing') AND upload.created_at < ${before} AND job.id IS NULL
    ORDER BY upload.created_at LIMIT ${take}`;
  return rows.map((it) => it.id);
}

/** Sets uploads back to `queued` whose workers were lost and whose jobs wait for the next attempt. Returns their number. */
export function requeueAbandoned(tx: Tx, jobs: Prisma.Sql): Promise<number> {
  return tx.$executeRaw`
    UPDATE video_uploads upload SET status = 'queued', stage = NULL, percent = 0 FROM ${jobs} AS job
    WHERE job.id = upload.id AND job.state = 'retry' AND job.retry_count = upload.attempt - 1 AND upload.status = 'processing'`;
}

/** Whose a removed upload was, and how many bytes it counted. */
export type RemovedRow = { readonly ownerId: string; readonly sizeBytes: number };

/** Removes an upload. Null if there is no such upload. A worker that processes it notices at its next write. */
export async function removeUpload(tx: Tx, ownerId: string, id: string): Promise<RemovedRow | null> {
  const [row] = await tx.$queryRaw<RemovedRow[]>`
    DELETE FROM video_uploads WHERE id = ${id}::uuid AND owner_id = ${ownerId}::uuid
    RETURNING owner_id::text AS "ownerId", (size_bytes + result_bytes)::float8 AS "sizeBytes"`;
  return row ?? null;
}

/** Begins an attempt. Null if the upload was deleted or has ended, or if this attempt or a later one has begun already. */
export async function beginAttempt(tx: Tx, { videoUploadId, attempt }: Fence, stage: string): Promise<VideoUploadRow | null> {
  const begun = await tx.$executeRaw`
    UPDATE video_uploads SET status = 'processing', attempt = ${attempt}, stage = ${stage}, percent = 0, started_at = clock_timestamp()
    WHERE id = ${videoUploadId}::uuid AND status IN ('queued', 'processing') AND attempt < ${attempt}`;
  return begun === 1 ? tx.videoUpload.findUnique({ where: { id: videoUploadId } }) : null;
}

/** Records the progress of an attempt, which never goes back. False if the attempt is no longer the current one. */
export async function noteProgress(tx: Tx, { videoUploadId, attempt }: Fence, stage: string, percent: number): Promise<boolean> {
  const noted = await tx.$executeRaw`
    UPDATE video_uploads SET stage = ${stage}, percent = greatest(percent, ${Math.min(99, Math.floor(percent))}::int)
    WHERE id = ${videoUploadId}::uuid AND status = 'processing' AND attempt = ${attempt}`;
  return noted === 1;
}

type Notice = { readonly kind: NotificationKind; readonly title: string; readonly body: string | null };

/** Notifies the owner of an upload, in the transaction of what has happened to it. */
export async function notifyOwner(tx: Tx, { id, ownerId }: VideoUploadRow, { kind, title, body }: Notice): Promise<void> {
  await tx.$executeRaw`
    SELECT notify_users(ARRAY[${ownerId}::uuid], ${kind}, ${title}, ${body}, NULL, ${id}, 'video_upload', ${id}, ${`/video-uploads/${id}`})`;
}

/** Whether an attempt is still the current one. */
export async function isPresentAttempt(tx: Tx, fence: Fence): Promise<boolean> {
  return (await tx.videoUpload.count({ where: present(fence) })) === 1;
}

/** Sets an upload back to `queued` before an attempt at it begins. False if it was deleted or has ended, or if it has begun. */
export async function requeueBefore(tx: Tx, { videoUploadId, attempt }: Fence): Promise<boolean> {
  const data = { status: "queued", stage: null, percent: 0 };
  return (
    (await tx.videoUpload.updateMany({ where: { id: videoUploadId, attempt: { lt: attempt }, ...UNFINISHED }, data })).count === 1
  );
}

/** Notes how long an upload is expected to take. */
export async function noteExpected(tx: Tx, id: string, expectedSeconds: number): Promise<void> {
  await tx.videoUpload.update({ where: { id }, data: { expectedSeconds } });
}

type Owned = { readonly id: string; readonly ownerId: string };

/**
 * How long the other unfinished uploads of an owner are expected to take together, of those that take more than `aboveSeconds`.
 * It reads the newest 1,000 in each state, so that its cost stays bounded.
 */
export async function expectedSecondsOfOthers(tx: Tx, { id, ownerId }: Owned, aboveSeconds: number): Promise<number> {
  const newest = UNFINISHED.status.in.map(
    (status) => Prisma.sql`(SELECT expected_seconds FROM video_uploads
      WHERE owner_id = ${ownerId}::uuid AND status = ${status} AND id <> ${id}::uuid
      ORDER BY created_at DESC, id DESC LIMIT 1000)`,
  );
  const [row] = await tx.$queryRaw<{ seconds: number }[]>`
    SELECT coalesce(sum(expected_seconds), 0)::float8 AS seconds
    FROM (${Prisma.join(newest, " UNION ALL ")}) AS newest WHERE expected_seconds > ${aboveSeconds}::float8`;
  return row!.seconds;
}

/** Sets the upload of an attempt back to `queued`. False if the attempt is no longer the current one. */
export async function requeueAttempt(tx: Tx, fence: Fence): Promise<boolean> {
  const data = { status: "queued", stage: null, percent: 0 };
  return (await tx.videoUpload.updateMany({ where: present(fence), data })).count === 1;
}

/**
 * Ends an upload with the result of an attempt, whose files count for the owner from then on. Null if the attempt is no longer the
 * current one.
 */
export function succeed(tx: Tx, fence: Fence, result: StoredResult): Promise<VideoUploadRow | null> {
  const resultBytes = [result.poster, ...result.renditions].reduce((sum, it) => sum + it.sizeBytes, 0);
  return finish(tx, present(fence), { status: "succeeded", percent: 100, result, resultBytes });
}

/** Ends an upload with the error of an attempt. Null if the attempt is no longer the current one. */
export function fail(tx: Tx, fence: Fence, errorCode: string, errorDetail: string): Promise<VideoUploadRow | null> {
  return finish(tx, present(fence), { status: "failed", errorCode, errorDetail });
}

/** Whether an attempt has stored its result. FOR UPDATE waits for a transaction of the attempt that may still commit. */
export async function hasSucceeded(tx: Tx, { videoUploadId, attempt }: Fence): Promise<boolean> {
  const [row] = await tx.$queryRaw<
    { status: string }[]
  >`SELECT status FROM video_uploads WHERE id = ${videoUploadId}::uuid AND attempt = ${attempt} FOR UPDATE`;
  return row?.status === "succeeded";
}

/** Fails an upload whose attempts all died. Null if it has ended already or was deleted. */
export function failUnfinished(tx: Tx, id: string, errorCode: string, errorDetail: string): Promise<VideoUploadRow | null> {
  return finish(tx, { id, ...UNFINISHED }, { status: "failed", errorCode, errorDetail });
}

/** The same, but null also if one of these jobs will go on with the upload. */
export async function failWithoutJob(tx: Tx, id: string, jobs: Prisma.Sql, errorCode: string, errorDetail: string) {
  // Whoever starts an upload again locks its row first. So the second statement sees the new job.
  await tx.$queryRaw`SELECT 1 FROM video_uploads WHERE id = ${id}::uuid FOR UPDATE`;
  const found = await tx.$queryRaw<object[]>`SELECT 1 FROM ${jobs} AS job WHERE job.id = ${id}::uuid`;
  return found.length > 0 ? null : failUnfinished(tx, id, errorCode, errorDetail);
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

/** An upload that reserves storage. The reservation of a resumable upload is deleted with its row. */
export type Claimant = { readonly id: string; readonly ownerId: string; readonly isResumable: boolean };

/**
 * Raises the reservation of an upload to a total of `bytes`, and never lowers it. Does nothing for a resumable upload that
 * was deleted, because its next write finds no row.
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

/** The total size of the user's uploads and reservations, including those of this transaction. */
export async function usedBytes(tx: Tx, ownerId: string): Promise<number> {
  const row = await tx.storageUsage.findUnique({ where: { userId: ownerId } });
  return Number(row?.sizeBytes ?? 0);
}

/**
 * Releases reservations of plain uploads that have not grown for `ageSeconds`, because their process has probably died.
 * Returns their number. If an upload is only slow, its row counts once it is complete.
 */
export function releaseAbandoned(tx: Tx, ageSeconds: number): Promise<number> {
  return tx.$executeRaw`
    DELETE FROM upload_reservations
    WHERE partial_id IS NULL AND touched_at < clock_timestamp() - make_interval(secs => ${ageSeconds}::double precision)`;
}
