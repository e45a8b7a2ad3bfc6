import { randomUUIDv7 } from "node:crypto";
import type { Logger } from "pino";
import type { Input, Output } from "../contract/contract.ts";
import { transaction, type Db, type Tx } from "../database/client.ts";
import { etagOf } from "../etag.ts";
import { Failure, found, notFound } from "../failure.ts";
import { isAnswered, once } from "../idempotency/idempotency.ts";
import type { JobQueue } from "../jobs/jobs.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { expectDigest } from "./digests.ts";
import { discardUpload, processVideo } from "./jobs.ts";
import { folderOf, removeObjectsNow } from "./object-keys.ts";
import { announcedBytes, receive } from "./receive-body.ts";
import type { StorageQuota } from "./storage-quota.ts";
import { countUnfinished, findUpload, insertUpload, release } from "./store.ts";
import type { NewUpload, StoredResult, VideoUploadRow } from "./store.ts";
import { toAcceptedUpload } from "./wire.ts";

export type UploadParts = {
  readonly db: Db;
  readonly queue: JobQueue;
  readonly quota: StorageQuota;
  readonly objects: ObjectStore;
  readonly log: Logger;
  readonly maxUploadBytes: number;
  readonly idleMs: number;
};

/** How long a client should wait before it asks again. */
export const POLL_SECONDS = 1;
/** An owner with so many unfinished uploads is put back no further; to count on would cost as much as there are. */
const UNFINISHED_COUNTED_MAX = 100;
/** How much later each unfinished upload of the same owner lets a job come: about what the longest take. */
const BEHIND_EACH_SECONDS = 300;

export async function readUpload(tx: Tx, ownerId: string, id: string): Promise<VideoUploadRow> {
  return found(await findUpload(tx, ownerId, id), "video upload");
}

/** What an upload has become; throws `not_ready` before its job has succeeded. */
export async function readResult(tx: Tx, ownerId: string, id: string): Promise<StoredResult> {
  const { status, result } = await readUpload(tx, ownerId, id);
  if (status === "failed") throw new Failure("not_ready", "The job has failed, so there is no result.");
  if (status !== "succeeded") throw new Failure("not_ready", "The job is still in progress. Wait until it has succeeded.");
  return result as StoredResult;
}

/**
 * Receives an upload in one request: bytes first, then row, job and key in one transaction. It reserves its storage before
 * its bytes come; its row takes that over.
 */
export async function createUpload(parts: UploadParts, input: Input<"createVideoUpload">): Promise<Output<"createVideoUpload">> {
  const { db, quota, objects, log, maxUploadBytes, idleMs } = parts;
  const { principal, query, header, body } = input;
  const [id, ownerId, name] = [randomUUIDv7(), principal.userId, query.name ?? null];
  const objectKey = `${folderOf(id)}/original`;
  const reservation = await quota.open({ id, ownerId, isResumable: false }, announcedBytes(body), () => isAnswered(db, input));
  await using end = new AsyncDisposableStack();
  end.defer(() => reservation.close().catch((error: unknown) => log.warn({ err: error }, "a reservation was not released yet")));
  const expected = [expectDigest(header, "Content-Digest"), expectDigest(header, "Repr-Digest")];
  const bounds = { idleMs, meter: reservation.meter, maxBytes: maxUploadBytes, expected };
  const { sizeBytes, sha256 } = await receive(objects, objectKey, body, bounds);
  const upload = { id, ownerId, name, objectKey, sizeBytes, sha256 };
  const accept = async (tx: Tx) => acceptedAnswer(await acceptUpload(tx, parts, upload), {});
  const content = { name, sizeBytes, sha256 };
  try {
    const answer = await once(db, input, accept, { content });
    // A replay: the first upload's bytes count, not these.
    if (answer.body.id !== id) await removeObjectsNow(parts, folderOf(id));
    return answer;
  } catch (error) {
    // Only a refusal says for certain that there is no row; a COMMIT whose answer was lost may have made one. The sweep
    // removes bytes that turn out to belong to no upload.
    if (error instanceof Failure) await removeObjectsNow(parts, folderOf(id));
    throw error;
  }
}

/**
 * The row and its job, in the caller's transaction: no 202 without a job, no job without its bytes, which are durable
 * already. The row takes over what the upload had reserved.
 */
export async function acceptUpload(tx: Tx, { queue, quota }: UploadParts, upload: NewUpload): Promise<VideoUploadRow> {
  await release(tx, upload.id);
  const unfinished = await countUnfinished(tx, upload.ownerId, UNFINISHED_COUNTED_MAX);
  const row = await insertUpload(tx, upload);
  await quota.requireRoom(tx, upload.ownerId);
  const options = { id: upload.id, behindSeconds: unfinished * BEHIND_EACH_SECONDS };
  await queue.enqueue(tx, processVideo, { videoUploadId: upload.id }, options);
  return row;
}

/** The 202 of an upload, the same one each time but for `more` headers. */
export function acceptedAnswer<More extends object>(row: VideoUploadRow, more: More) {
  const body = toAcceptedUpload(row);
  const headers = { Location: `/video-uploads/${row.id}`, ETag: etagOf(body), "Retry-After": POLL_SECONDS, ...more };
  return { status: 202, headers, body } as const;
}

/**
 * Deletes an upload by its row, which `remove` says was there. A running job stops when its next write finds no row. The
 * transaction makes a job that removes the bytes should the store fail now: the sweep would leave them for a day, so that
 * an operator who has connected the service to the wrong database has time to notice.
 */
export async function deleteUpload(parts: UploadParts, id: string, remove: (tx: Tx) => Promise<boolean>): Promise<void> {
  await transaction(parts.db, async (tx) => {
    if (!(await remove(tx))) throw notFound("video upload");
    await discardUpload(tx, parts.queue, id);
  });
  await removeObjectsNow(parts, folderOf(id));
}
