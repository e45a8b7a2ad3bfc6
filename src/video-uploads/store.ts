import type { Prisma, VideoUpload } from "#generated/prisma/client.ts";
import * as sql from "#generated/sql/video-uploads.ts";
import type { Tx } from "../database/client.ts";
import type { CreationPageRequest } from "../pagination/keyset.ts";
import { hasUnfinishedJob } from "../jobs/store.ts";
import type { PutResult } from "../storage/object-store.ts";
import type { FrameSize } from "../media/frame-size.ts";

export * from "#generated/sql/video-uploads.ts";
export * from "#generated/sql/video-uploads/job-states.ts";

export type VideoUploadRow = Omit<VideoUpload, "result"> & { readonly result: unknown };
/** The fields of an upload for clients. In the rows of a list, instants are text. */
export type VisibleUpload = sql.FindUploadsRow | VideoUploadRow;

/** A file of a result, with the key of its object. */
export type StoredFile = FrameSize & PutResult & { readonly objectKey: string; readonly contentType: string };

/** An image of many tiles, from left to right and from top to bottom, one for each `intervalMs`. */
export type StoredSprite = StoredFile & {
  readonly tileWidth: number;
  readonly tileHeight: number;
  readonly tileCount: number;
  readonly intervalMs: number;
};

/** The result of a job as stored in its row. */
export type StoredResult = FrameSize & {
  readonly container: string;
  readonly durationMs: number;
  readonly videoCodec: string;
  readonly audioCodec: string | null;
  readonly poster: StoredFile;
  /** Videos that were processed before version 1.1.0 have none. */
  readonly sprite?: StoredSprite;
  readonly renditions: readonly (StoredFile & { readonly name: string; readonly durationMs: number })[];
};

/** All files of a result. */
export const filesOf = ({ poster, sprite, renditions }: StoredResult): readonly StoredFile[] => [
  poster,
  ...(sprite === undefined ? [] : [sprite]),
  ...renditions,
];

/** A fencing token: an attempt writes to the row only while it is the current one. */
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

export function findUploads(tx: Tx, ownerId: string, status: string | undefined, pageRequest: CreationPageRequest) {
  if (status === undefined) return sql.findUploads(tx, pageRequest, { ownerId });
  return sql.findUploadsWithStatus(tx, pageRequest, { ownerId, status });
}

export type UploadRow = Pick<VideoUploadRow, "id" | "objectKey" | "attempt" | "status">;

type UploadsWhere = { readonly id: { in: string[] } } | { readonly ownerId: string };

/** Incomplete and complete uploads. In this order, because an upload leaves the first table when it enters the second. */
export async function findAllWhere(tx: Tx, where: UploadsWhere, page: { readonly take?: number } = {}) {
  const partials = await tx.partialUpload.findMany({ where, select: { id: true }, ...page });
  const select = { id: true, objectKey: true, attempt: true, status: true } as const;
  const uploads: UploadRow[] = await tx.videoUpload.findMany({ where, select, ...page });
  return { partials, uploads };
}

/** The owner of a removed upload, and the bytes that it counted. */
export type RemovedRow = { readonly ownerId: string; readonly sizeBytes: number };

/** Begins an attempt. Null if the upload was deleted or has ended, or if this attempt or a later one has begun already. */
export async function beginAttempt(tx: Tx, fence: Fence, stage: string): Promise<VideoUploadRow | null> {
  const begun = await sql.setBegun(tx, { ...fence, stage });
  return begun === 1 ? tx.videoUpload.findUnique({ where: { id: fence.videoUploadId } }) : null;
}

/** A page of all uploads, in the order of their ids. */
export function findPage(tx: Tx, after: string | null, take: number): Promise<VideoUploadRow[]> {
  return tx.videoUpload.findMany({ ...(after === null ? {} : { where: { id: { gt: after } } }), orderBy: { id: "asc" }, take });
}

/** Reads an upload of any owner, and locks it until the transaction ends. */
export async function findLocked(tx: Tx, id: string): Promise<VideoUploadRow | null> {
  await sql.lockUpload(tx, { id });
  return tx.videoUpload.findUnique({ where: { id } });
}

/** One if an attempt is still the current one, else zero. */
export const countCurrent = (tx: Tx, fence: Fence): Promise<number> => tx.videoUpload.count({ where: current(fence) });

type Matching = Prisma.VideoUploadWhereInput & { readonly id: string };

/** Sets an upload back to `queued`. False if it doesn't match. */
async function requeue(tx: Tx, where: Matching): Promise<boolean> {
  return (await tx.videoUpload.updateMany({ where, data: { status: "queued", stage: null, percent: 0 } })).count === 1;
}

/** Sets the upload of an attempt back to `queued`. False if the attempt is no longer the current one. */
export const requeueAttempt = (tx: Tx, fence: Fence): Promise<boolean> => requeue(tx, current(fence));

/** The same before the attempt begins. False if the upload was deleted or has ended, or if the attempt has begun. */
export const requeueBefore = (tx: Tx, { videoUploadId, attempt }: Fence): Promise<boolean> =>
  requeue(tx, { id: videoUploadId, attempt: { lt: attempt }, ...UNFINISHED });

/** The same for any unfinished upload. The next attempt has a higher number, so a running one can write nothing more. */
export const requeueUnfinished = (tx: Tx, id: string): Promise<boolean> => requeue(tx, { id, ...UNFINISHED });

/** Records the expected work of an upload. */
export async function recordExpectedSeconds(tx: Tx, id: string, expectedSeconds: number): Promise<void> {
  await tx.videoUpload.update({ where: { id }, data: { expectedSeconds } });
}

/** Ends an upload with a result, which then counts for the owner. Null if the attempt is no longer the current one. */
export function succeed(tx: Tx, fence: Fence, result: StoredResult): Promise<VideoUploadRow | null> {
  const resultBytes = filesOf(result).reduce((sum, it) => sum + it.sizeBytes, 0);
  return finish(tx, current(fence), { status: "succeeded", percent: 100, result, resultBytes });
}

/** Ends an upload with the error of an attempt. Null if the attempt is no longer the current one. */
export function fail(tx: Tx, fence: Fence, errorCode: string, errorDetail: string): Promise<VideoUploadRow | null> {
  return finish(tx, current(fence), { status: "failed", errorCode, errorDetail });
}

/** Whether an attempt has stored its result. Waits for a transaction that may still commit. */
export const hasSucceeded = async (tx: Tx, fence: Fence): Promise<boolean> =>
  (await sql.lockAttempt(tx, fence))?.status === "succeeded";

/** Fails an upload without a running attempt. Null if it has ended already or was deleted. */
export function failUnfinished(tx: Tx, id: string, errorCode: string, errorDetail: string): Promise<VideoUploadRow | null> {
  return finish(tx, { id, ...UNFINISHED }, { status: "failed", errorCode, errorDetail });
}

/** The same, but also null if the upload has an unfinished job in this queue. */
export async function failWithoutJob(tx: Tx, id: string, queue: string, errorCode: string, errorDetail: string) {
  // Starting an upload again locks its row first, so the second statement sees the new job.
  await sql.lockUpload(tx, { id });
  return (await hasUnfinishedJob(tx, { queue, id })).isThere ? null : failUnfinished(tx, id, errorCode, errorDetail);
}

async function finish(tx: Tx, where: Matching, data: Prisma.VideoUploadUpdateManyMutationInput): Promise<VideoUploadRow | null> {
  const [row = null] = await tx.videoUpload.updateManyAndReturn({ where, data: { ...data, stage: null } });
  if (row !== null) await sql.setFinished(tx, { id: row.id });
  return row;
}

/** The key of a storage reservation. With a `partialId`, it is deleted with the row of the resumable upload. */
export type ReservationKey = Omit<sql.ReserveParameters, "bytes">;

export async function release(tx: Tx, id: string): Promise<void> {
  await tx.uploadReservation.deleteMany({ where: { id } });
}

/** The total size of the user's uploads and reservations, including changes of this transaction. */
export async function usedBytes(tx: Tx, ownerId: string): Promise<number> {
  const row = await tx.storageUsage.findUnique({ where: { userId: ownerId } });
  return Number(row?.sizeBytes ?? 0);
}
