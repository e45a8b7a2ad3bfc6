import { randomUUIDv7 } from "node:crypto";
import type { Logger } from "pino";
import type { AnyOutput, Input } from "../contract/contract.ts";
import { transaction, type Db, type Tx } from "../database/client.ts";
import { isUserGone } from "../database/database-failure.ts";
import { Failure, notFound, orNotFound } from "../failure.ts";
import { hasStoredResponse, once } from "../idempotency/idempotency.ts";
import type { JobQueue } from "../jobs/jobs.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { Digests } from "./digests.ts";
import { discardUpload, processVideo } from "./jobs.ts";
import { laneOfBytes } from "./lanes.ts";
import { folderOf, removeObjectsNow } from "./objects/object-keys.ts";
import { announcedBytes, receive } from "./receive-body.ts";
import { removeEnded } from "./objects/removal.ts";
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
/** How far each unfinished upload of the same owner moves a new job back in the queue: about the time of a long job. */
const BEHIND_EACH_SECONDS = 300;

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

type OriginalParts = Pick<UploadParts, "db" | "objects"> & { readonly keepOriginals: boolean };

/** The uploaded file of an upload, with its name. Throws `not_found` also if it is not kept. */
export async function readOriginal({ db, objects, keepOriginals }: OriginalParts, ownerId: string, id: string) {
  const { name, objectKey, sizeBytes, sha256, status } = await readUpload(db, ownerId, id);
  // For backups, it can stay in the store for some hours.
  const isKept = keepOriginals || status !== "succeeded";
  // The row doesn't say whether the setting was another one before.
  const firstByte = isKept ? await objects.get(objectKey, { start: 0, end: 0 }) : null;
  if (firstByte === null) throw new Failure("not_found", "The uploaded file of this video is not kept.");
  firstByte.stream.destroy();
  return { name, objectKey, sizeBytes: Number(sizeBytes), sha256 };
}

/**
 * Receives an upload in one request: first the bytes, then the row, the job and the idempotency key in one transaction. The
 * upload reserves storage before its bytes arrive, and its row replaces the reservation. `answer` makes the response of the row.
 */
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
  const claimant = { id, ownerId, partialId: null };
  const isRepeated = () => hasStoredResponse(db, input);
  const reservation = await quota.open(claimant, announcedBytes(body), isRepeated);
  await using end = new AsyncDisposableStack();
  end.defer(() => reservation.close().catch((error: unknown) => log.warn({ err: error }, "a reservation was not released yet")));
  const bounds = { idleMs, meter: reservation.meter, maxBytes: maxUploadBytes, ...digests };
  const { sizeBytes, sha256 } = await receive(objects, objectKey, body, bounds);
  const upload = { id, ownerId, name, objectKey, sizeBytes, sha256 };
  const accept = async (tx: Tx) => answer(await acceptUpload(tx, parts, upload));
  const request = { ...input, query: {}, body: { name, sizeBytes, sha256 } };
  try {
    const response = await once(db, request, accept);
    // A replay of an earlier request, whose bytes count. Remove these.
    if (response.body.id !== id) await removeObjectsNow(parts, folderOf(id));
    return response;
  } catch (error) {
    // Only a refusal guarantees that there is no row. After any other error the COMMIT may have succeeded, so the bytes stay.
    // The sweep removes them if they belong to no upload.
    if (error instanceof Failure || isUserGone(error)) await removeObjectsNow(parts, folderOf(id));
    throw error;
  }
}

/**
 * Inserts the row and its job in the caller's transaction, so that every 202 has a job. The bytes are durable already, so
 * every job has its bytes. The row replaces the storage reservation of the upload.
 */
export async function acceptUpload(
  tx: Tx,
  { queue, quota }: Pick<UploadParts, "queue" | "quota">,
  upload: NewUpload,
): Promise<VideoUploadRow> {
  await release(tx, upload.id);
  const { count } = await countUnfinished(tx, { ownerId: upload.ownerId, max: UNFINISHED_COUNTED_MAX });
  const row = await insertUpload(tx, upload);
  await quota.requireRoom(tx, upload.ownerId);
  const place = { lane: laneOfBytes(upload.sizeBytes), behindSeconds: count * BEHIND_EACH_SECONDS };
  await queue.enqueue(tx, processVideo, { videoUploadId: upload.id }, { id: upload.id, place });
  return row;
}

/**
 * Deletes an upload. `remove` deletes its row and returns what it was; null if there was none. A running job stops when its next
 * write finds no row. A job removes the bytes when they need not be kept any more, or if the store fails now. The sweep alone
 * would leave them for a day, which gives an operator who has connected the wrong database time to notice.
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
  await removeEnded(parts, folderOf(id));
}
