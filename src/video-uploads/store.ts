import type { NotificationKind } from "#generated/operations.ts";
import type { Prisma, VideoUpload } from "#generated/prisma/client.ts";
import * as sql from "#generated/sql/video-uploads.ts";
import * as states from "#generated/sql/video-uploads/job-states.ts";
import type { Tx } from "../database/client.ts";
import { keyset, type CreationWindow } from "../database/keyset.ts";
import { hasUnfinishedJob } from "../jobs/store.ts";
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
const current = ({ videoUploadId, attempt }: Fence) => ({ id: videoUploadId, attempt, status: "processing" });

export function insertUpload(tx: Tx, upload: NewUpload): Promise<VideoUploadRow> {
  return tx.videoUpload.create({ data: upload });
}

export function findUpload(tx: Tx, ownerId: string, id: string): Promise<VideoUploadRow | null> {
  return tx.videoUpload.findFirst({ where: { id, ownerId } });
}

export function findUploads(tx: Tx, ownerId: string, status: string | undefined, window: CreationWindow) {
  return tx.videoUpload.findMany(keyset(window, { ownerId, ...(status === undefined ? {} : { status }) }));
}

/** Counts an owner's unfinished uploads, up to `max`. */
export const countUnfinished = async (tx: Tx, ownerId: string, max: number): Promise<number> =>
  (await sql.countUnfinished(tx, { ownerId, max })).count;

/** The unfinished jobs of a queue. */
type Jobs = { readonly queue: string };

/** The ids of unfinished uploads, created before an instant, that have none of the unfinished `jobs`. Oldest first. */
export const findWithoutJob = async (tx: Tx, jobs: Jobs, before: Date, limit: number): Promise<string[]> =>
  (await states.findWithoutJob(tx, { ...jobs, before: before.toISOString(), limit })).map(({ id }) => id);

export { requeueAbandoned } from "#generated/sql/video-uploads/job-states.ts";

/** Whose a removed upload was, and how many bytes it counted. */
export type RemovedRow = { readonly ownerId: string; readonly sizeBytes: number };

/** Removes an upload. Null if there is no such upload. */
export const removeUpload = (tx: Tx, ownerId: string, id: string): Promise<RemovedRow | null> =>
  sql.removeUpload(tx, { id, ownerId });

/** Begins an attempt. Null if the upload was deleted or has ended, or if this attempt or a later one has begun already. */
export async function beginAttempt(tx: Tx, { videoUploadId, attempt }: Fence, stage: string): Promise<VideoUploadRow | null> {
  const begun = await sql.beginAttempt(tx, { id: videoUploadId, attempt, stage });
  return begun === 1 ? tx.videoUpload.findUnique({ where: { id: videoUploadId } }) : null;
}

/** Records the progress of an attempt, which never goes back. False if the attempt is no longer the current one. */
export async function recordProgress(
  tx: Tx,
  { videoUploadId, attempt }: Fence,
  stage: string,
  percent: number,
): Promise<boolean> {
  const percentNow = Math.min(99, Math.floor(percent));
  return (await sql.advance(tx, { id: videoUploadId, attempt, stage, percent: percentNow })) === 1;
}

type Notice = { readonly kind: NotificationKind; readonly title: string; readonly body: string | null };

/** Notifies the owner of an upload, in the transaction of what has happened to it. */
export async function notifyOwner(tx: Tx, { id, ownerId }: VideoUploadRow, { kind, title, body }: Notice): Promise<void> {
  await sql.notifyOwner(tx, { id, ownerId, kind, title, body });
}

/** Whether an attempt is still the current one. */
export async function isCurrentAttempt(tx: Tx, fence: Fence): Promise<boolean> {
  return (await tx.videoUpload.count({ where: current(fence) })) === 1;
}

/** Sets an upload back to `queued` before an attempt at it begins. False if it was deleted or has ended, or if it has begun. */
export async function requeueBefore(tx: Tx, { videoUploadId, attempt }: Fence): Promise<boolean> {
  const data = { status: "queued", stage: null, percent: 0 };
  return (
    (await tx.videoUpload.updateMany({ where: { id: videoUploadId, attempt: { lt: attempt }, ...UNFINISHED }, data })).count === 1
  );
}

/** Notes how long an upload is expected to take. */
export async function recordExpectedSeconds(tx: Tx, id: string, expectedSeconds: number): Promise<void> {
  await tx.videoUpload.update({ where: { id }, data: { expectedSeconds } });
}

type Owned = { readonly id: string; readonly ownerId: string };

/** How long the other unfinished uploads of an owner are expected to take together, of those that take more than `aboveSeconds`. */
export const expectedSecondsOfOthers = async (tx: Tx, { id, ownerId }: Owned, aboveSeconds: number): Promise<number> =>
  (await sql.expectedSecondsOfOthers(tx, { id, ownerId, aboveSeconds })).seconds;

/** Sets the upload of an attempt back to `queued`. False if the attempt is no longer the current one. */
export async function requeueAttempt(tx: Tx, fence: Fence): Promise<boolean> {
  const data = { status: "queued", stage: null, percent: 0 };
  return (await tx.videoUpload.updateMany({ where: current(fence), data })).count === 1;
}

/**
 * Ends an upload with the result of an attempt, whose files count for the owner from then on. Null if the attempt is no longer the
 * current one.
 */
export function succeed(tx: Tx, fence: Fence, result: StoredResult): Promise<VideoUploadRow | null> {
  const resultBytes = [result.poster, ...result.renditions].reduce((sum, it) => sum + it.sizeBytes, 0);
  return finish(tx, current(fence), { status: "succeeded", percent: 100, result, resultBytes });
}

/** Ends an upload with the error of an attempt. Null if the attempt is no longer the current one. */
export function fail(tx: Tx, fence: Fence, errorCode: string, errorDetail: string): Promise<VideoUploadRow | null> {
  return finish(tx, current(fence), { status: "failed", errorCode, errorDetail });
}

/** Whether an attempt has stored its result. FOR UPDATE waits for a transaction of the attempt that may still commit. */
export async function hasSucceeded(tx: Tx, { videoUploadId, attempt }: Fence): Promise<boolean> {
  const row = await sql.lockAttempt(tx, { id: videoUploadId, attempt });
  return row?.status === "succeeded";
}

/** Fails an upload whose attempts all died. Null if it has ended already or was deleted. */
export function failUnfinished(tx: Tx, id: string, errorCode: string, errorDetail: string): Promise<VideoUploadRow | null> {
  return finish(tx, { id, ...UNFINISHED }, { status: "failed", errorCode, errorDetail });
}

/** The same, but null also if one of these jobs will go on with the upload. */
export async function failWithoutJob(tx: Tx, id: string, jobs: Jobs, errorCode: string, errorDetail: string) {
  // Whoever starts an upload again locks its row first. So the second statement sees the new job.
  await sql.lockUpload(tx, { id });
  return (await hasUnfinishedJob(tx, { ...jobs, id })).isThere ? null : failUnfinished(tx, id, errorCode, errorDetail);
}

async function finish(
  tx: Tx,
  where: Prisma.VideoUploadWhereInput & { id: string },
  data: Prisma.VideoUploadUpdateManyMutationInput,
): Promise<VideoUploadRow | null> {
  const { count } = await tx.videoUpload.updateMany({ where, data: { ...data, stage: null } });
  if (count === 0) return null;
  await sql.setFinished(tx, { id: where.id });
  return tx.videoUpload.findUnique({ where: { id: where.id } });
}

/** An upload that reserves storage. The reservation of a resumable upload is deleted with its row. */
export type Claimant = { readonly id: string; readonly ownerId: string; readonly isResumable: boolean };

/**
 * Raises the reservation of an upload to a total of `bytes`, and never lowers it. Does nothing for a resumable upload that
 * was deleted, because its next write finds no row.
 */
export async function reserve(tx: Tx, { id, ownerId, isResumable }: Claimant, bytes: number): Promise<void> {
  await sql.reserve(tx, { id, ownerId, partialId: isResumable ? id : null, bytes });
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
export const releaseAbandoned = (tx: Tx, ageSeconds: number): Promise<number> => sql.releaseAbandoned(tx, { ageSeconds });
