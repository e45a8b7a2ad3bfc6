import { randomUUIDv7 } from "node:crypto";
import type { Logger } from "pino";
import type { AnyOutput, Input } from "../contract/contract.ts";
import { transaction, type Db, type Tx } from "../database/client.ts";
import { isCallerDeleted } from "../database/database-failure.ts";
import { Failure, notFound, orNotFound } from "../failure.ts";
import { hasStoredResponse, once } from "../idempotency/idempotency.ts";
import type { JobQueue } from "../jobs/jobs.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { Digests } from "./digests.ts";
import { discardUpload, processVideo } from "./jobs.ts";
import { laneOfBytes } from "./lanes.ts";
import { folderOf, removeObjectsNow } from "./objects/object-keys.ts";
import { contentLengthOf, receive } from "./receive-body.ts";
import { purgeExpired } from "./objects/removal.ts";
import type { StorageQuota } from "./objects/storage-quota.ts";
import { countUnfinished, findUpload, insertUpload, release } from "./store.ts";
import type { NewUpload, RemovedRow, StoredResult, VideoUploadRow } from "./store.ts";

export type UploadParts = {
  readonly db: Db;
  readonly queue: JobQueue;
  readonly quota: StorageQuota;
  readonly objects: ObjectStore;
  readonly log: Logger;
  readonly maxUploadBytes: number;
  readonly idleMs: number;
};

export type DeletionParts = Pick<UploadParts, "db" | "queue" | "objects" | "log">;

/** The count of an owner's unfinished uploads stops here, so that its cost stays bounded. */
const UNFINISHED_COUNTED_MAX = 100;
/** The delay of a new job for each unfinished upload of its owner: about the time of a long job. */
const DELAY_PER_UPLOAD_SECONDS = 300;

export async function readUpload(tx: Tx, ownerId: string, id: string): Promise<VideoUploadRow> {
  return orNotFound(await findUpload(tx, ownerId, id), "video upload");
}

/** The result of an upload. Throws `not_ready` unless its job has succeeded. */
export async function readResult(tx: Tx, ownerId: string, id: string): Promise<StoredResult> {
  const { status, result } = await readUpload(tx, ownerId, id);
  if (status === "failed") throw new Failure("not_ready", "The job has failed, so there is no result.");
  if (status !== "succeeded") throw new Failure("not_ready", "The job is still in progress. Wait until it has succeeded.");
  return result as StoredResult;
}

export type OriginalParts = Pick<UploadParts, "db" | "objects"> & { readonly keepOriginals: boolean };

/** The uploaded file, with its name. Throws `not_found` if it is not kept. */
export async function readOriginal({ db, objects, keepOriginals }: OriginalParts, ownerId: string, id: string) {
  const { name, objectKey, sizeBytes, sha256, status } = await readUpload(db, ownerId, id);
  // An original that the operator doesn't keep can be retained for backups.
  const isKept = keepOriginals || status !== "succeeded";
  // Tries to read it, because the setting may have been different earlier.
  const firstByte = isKept ? await objects.get(objectKey, { start: 0, end: 0 }) : null;
  if (firstByte === null) throw new Failure("not_found", "The uploaded file of this video is not kept.");
  firstByte.stream.destroy();
  return { name, objectKey, sizeBytes: Number(sizeBytes), sha256 };
}

/** Stores the bytes, then commits the row, the job and the idempotency key in one transaction. `answer` makes the response. */
export async function createUpload<O extends AnyOutput & { readonly body: { readonly id: string } }>(
  parts: UploadParts,
  input: Input<"createVideoUpload">,
  digests: Digests,
  answer: (row: VideoUploadRow) => O,
): Promise<O> {
  const { db, quota, objects, log, maxUploadBytes, idleMs } = parts;
  const { principal, query, body } = input;
  const [id, ownerId, name] = [randomUUIDv7(), principal.userId, query.name ?? null];
  const objectKey = `${folderOf(id)}/original`;
  const reservationKey = { id, ownerId, partialId: null };
  const isRetry = () => hasStoredResponse(db, input);
  const reservation = await quota.open(reservationKey, contentLengthOf(body), isRetry);
  await using end = new AsyncDisposableStack();
  end.defer(() => reservation.close().catch((error: unknown) => log.warn({ err: error }, "a reservation was not released yet")));
  const bounds = { idleMs, meter: reservation.meter, maxBytes: maxUploadBytes, ...digests };
  const { sizeBytes, sha256 } = await receive(objects, objectKey, body, bounds);
  const upload = { id, ownerId, name, objectKey, sizeBytes, sha256 };
  const accept = async (tx: Tx) => answer(await acceptUpload(tx, parts, upload));
  const request = { ...input, query: {}, body: { name, sizeBytes, sha256 } };
  try {
    const response = await once(db, request, accept);
    // A retry: the bytes of the first request are the upload, so these are removed.
    if (response.body.id !== id) await removeObjectsNow(parts, folderOf(id));
    return response;
  } catch (error) {
    // After a refusal, there is no row. After any other error, the COMMIT may have succeeded, so the bytes stay for the orphan
    // GC.
    if (error instanceof Failure || isCallerDeleted(error)) await removeObjectsNow(parts, folderOf(id));
    throw error;
  }
}

/** Inserts the row and its job in one transaction, so that every 202 has a job. The row replaces the storage reservation. */
export async function acceptUpload(
  tx: Tx,
  { queue, quota }: Pick<UploadParts, "queue" | "quota">,
  upload: NewUpload,
): Promise<VideoUploadRow> {
  await release(tx, upload.id);
  const { count } = await countUnfinished(tx, { ownerId: upload.ownerId, max: UNFINISHED_COUNTED_MAX });
  const row = await insertUpload(tx, upload);
  await quota.requireFreeQuota(tx, upload.ownerId);
  const position = { lane: laneOfBytes(upload.sizeBytes), behindSeconds: count * DELAY_PER_UPLOAD_SECONDS };
  await queue.enqueue(tx, processVideo, { videoUploadId: upload.id }, { id: upload.id, position });
  return row;
}

/**
 * Deletes an upload. `remove` deletes its row. A running job stops when its next write finds no row. Retained objects are deleted
 * later.
 */
export async function deleteUpload(
  parts: DeletionParts,
  id: string,
  remove: (tx: Tx) => Promise<RemovedRow | null>,
): Promise<void> {
  await transaction(parts.db, async (tx) => {
    const removed = await remove(tx);
    if (removed === null) throw notFound("video upload");
    await discardUpload(tx, parts, id, removed);
  });
  await purgeExpired(parts, folderOf(id));
}
