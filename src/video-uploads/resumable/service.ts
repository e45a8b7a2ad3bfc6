/**
 * Uploads that survive broken connections, after draft-ietf-httpbis-resumable-upload-11. The bytes of a request, up to where
 * it breaks or this process is killed, become durable pieces. The last request joins them. At most one request adds to an upload: a
 * later one stops an earlier one in this process, and shuts out one in any other process (the section "Concurrency" of the draft).
 */
import { randomUUID, randomUUIDv7 } from "node:crypto";
import type { Readable } from "node:stream";
import type { AnyOutput, Input } from "../../contract/contract.ts";
import { transaction, type Tx } from "../../database/client.ts";
import { purge } from "../../database/purge.ts";
import { contentTooLarge, Failure } from "../../failure.ts";
import { inProgress, once } from "../../idempotency/idempotency.ts";
import type { Digests, Expectation } from "../digests.ts";
import { discardUpload } from "../jobs.ts";
import { folderOf, removeObjectsNow } from "../objects/object-keys.ts";
import { announcedBytes } from "../receive-body.ts";
import { letEnd, removeEnded } from "../objects/removal.ts";
import { acceptUpload, deleteUpload, readUpload, type UploadParts } from "../service.ts";
import { findUpload, type VideoUploadRow } from "../store.ts";
import { createAppends } from "./appends.ts";
import { earlyDigest, mismatch, tooSlow, wrongLength } from "./failures.ts";
import { joinPieces } from "./join-pieces.ts";
import { receivePieces, refuseShort } from "./receive-pieces.ts";
import { Segments } from "./segments.ts";
import * as store from "./store.ts";

/** How far an upload is: `accepted` is the row of one that is complete, and `begunAt` belongs to one that is not. */
export type Transfer = { readonly offsetBytes: number; readonly accepted: VideoUploadRow | null; readonly begunAt?: Date };

/** What adds bytes to the uploads of this process. */
export type TransferParts = ReturnType<typeof openTransfers>;
export const openTransfers = (parts: UploadParts) => ({ ...parts, appends: createAppends<Transfer>() });

/** A request that adds to an upload. `isLast`: no bytes follow. `offset` is null for the request that begins the upload. */
type AppendRequest = {
  readonly ownerId: string;
  readonly id: string;
  readonly offset: number | null;
  readonly isLast: boolean;
  readonly body: Readable;
  readonly digests: Digests;
};

/** The maximum number of incomplete uploads of a user. Each is removed after a day. */
const UNFINISHED_MAX = 100;
/** The time limit of a whole upload. */
export const UPLOAD_AGE_SECONDS = 24 * 3600;
const EXPIRED_TOGETHER = 500;

/**
 * Begins an upload, or finds the one that an earlier request with the same idempotency key has begun. The key covers the upload
 * and not its bytes, which can stop at any point. So what is stored is the `answer` for the id, and not the response.
 */
export async function beginTransfer<O extends AnyOutput & { readonly body: { readonly id: string } }>(
  parts: TransferParts,
  input: Input<"createVideoUpload">,
  { isLast, lengthBytes }: { readonly isLast: boolean; readonly lengthBytes: number | null },
  answer: (id: string) => O,
) {
  const { db, maxUploadBytes } = parts;
  if (lengthBytes !== null && lengthBytes > maxUploadBytes) throw contentTooLarge("A video", maxUploadBytes);
  const ownerId = input.principal.userId;
  const fresh = { id: randomUUIDv7(), ownerId, name: input.query.name ?? null, lengthBytes };
  const begin = async (tx: Tx) => {
    await insertTransfer(tx, parts, fresh);
    return answer(fresh.id);
  };
  const content = { resumable: true, isLast, name: fresh.name, lengthBytes };
  // In this order, because an upload leaves the first table when it enters the second.
  const isStillValid = async (tx: Tx, { body }: O) =>
    ((await store.findPartial(tx, { id: body.id, ownerId })) ?? (await findUpload(tx, ownerId, body.id))) !== null;
  const request = { ...input, query: {}, body: content, checkResponse: () => undefined };
  const { id } = (await once(db, request, begin, isStillValid)).body;
  return { id, isFresh: id === fresh.id };
}

async function insertTransfer(tx: Tx, { quota }: TransferParts, upload: store.NewPartial): Promise<void> {
  const { id, ownerId, lengthBytes } = upload;
  if ((await store.countPartials(tx, ownerId, UNFINISHED_MAX)) === UNFINISHED_MAX) {
    const detail = `${UNFINISHED_MAX} of your uploads are not complete. Complete or delete some first.`;
    throw new Failure("rate_limited", detail, { retryAfterSeconds: 60 });
  }
  await store.insertPartial(tx, upload);
  if (lengthBytes !== null) await quota.take(tx, { id, ownerId, partialId: id }, lengthBytes);
}

type FirstRequest = Omit<AppendRequest, "offset"> & { readonly isFresh: boolean };

/** Stores the bytes of the request that begins an upload. A retry of it stores none: it gets how far the upload is. */
export async function sendFirstBytes(parts: TransferParts, { isFresh, ...first }: FirstRequest): Promise<Transfer> {
  try {
    return isFresh ? await append(parts, { ...first, offset: null }) : await findTransfer(parts, first.ownerId, first.id);
  } catch (error) {
    // The upload was deleted during this request. A retry begins a new one.
    throw error instanceof Failure && error.code === "not_found" ? inProgress(error) : error;
  }
}

/** Stores the bytes of a request. The last one completes the upload. */
export async function append(parts: TransferParts, request: AppendRequest): Promise<Transfer> {
  const { db, appends, idleMs } = parts;
  const { ownerId, id, offset, isLast, body, digests } = request;
  if (digests.whole !== null && !isLast) throw earlyDigest();
  const completion = appends.completionOf(nameOf(ownerId, id));
  // All bytes have arrived, and only the response was lost. Return the same one.
  if (isLast && completion !== null && offset === completion.sizeBytes) return completion.result;
  return appends.run(nameOf(ownerId, id), body, async (append) => {
    const writer = randomUUID();
    const taken = await transaction(db, (tx) => takeOver(tx, parts, request, writer));
    if (taken.refusal !== null) throw taken.refusal;
    const { row } = taken;
    // What is left of them goes with the other pieces, when the upload is complete or deleted.
    await removeObjectsNow(parts, ...taken.unneededKeys);
    append.segments = new Segments(body, idleMs);
    const received = await receivePieces(parts, row, append.segments, { content: digests.content, isLast });
    if (received.end === "taken") throw await mismatchNow(db, ownerId, id);
    if (received.end === "cut") throw tooSlow(received.offset);
    if (!isLast) {
      if ((await store.confirmBytes(db, { id, writer })) === 0) throw await mismatchNow(db, ownerId, id);
      return { offsetBytes: received.offset, accepted: null, begunAt: new Date(row.createdAt) };
    }
    append.completion = { sizeBytes: received.offset, result: complete(parts, row, received.keys, digests.whole) };
    return append.completion.result;
  });
}

/**
 * Gives an upload to a request, if that begins where the upload ends or where a client was told that it ends. What has arrived
 * since then is taken back. After a refusal, the request holds the upload as well, so that the offset in the refusal is right.
 */
async function takeOver(tx: Tx, parts: TransferParts, { ownerId, id, offset, isLast, body }: AppendRequest, writer: string) {
  const row = await store.takePartial(tx, { ownerId, id, writer });
  if (row === null) return { refusal: await mismatchNow(tx, ownerId, id) };
  const begin = offset ?? row.offsetBytes;
  if (begin !== row.offsetBytes && begin !== row.toldBytes) return { refusal: mismatch(row.offsetBytes, false) };
  const announced = announcedBytes(body);
  const refusal = isLast || announced === null ? null : refuseShort(parts, row, announced);
  if (refusal !== null) return { refusal };
  const back = begin === row.offsetBytes ? null : await store.takeBackPieces(tx, { id, writer, keptBytes: begin });
  const { pieceCount, unneededKeys } = back ?? { pieceCount: row.pieceCount, unneededKeys: [] };
  return { refusal: null, row: { ...row, offsetBytes: begin, pieceCount }, unneededKeys };
}

/** The failure of a request that does not have the upload: it says how far the upload is now. */
async function mismatchNow(tx: Tx, ownerId: string, id: string): Promise<Failure> {
  const row = await store.findPartial(tx, { id, ownerId });
  return row === null ? mismatch(Number((await readUpload(tx, ownerId, id)).sizeBytes), true) : mismatch(row.offsetBytes, false);
}

/** Joins the pieces and creates the job. After a crash, the upload is as before, and the client can complete it again. */
async function complete(parts: TransferParts, row: store.TakenUpload, addedKeys: readonly string[], whole: Expectation | null) {
  const { db, objects } = parts;
  const { id, ownerId, name, writer } = row;
  const pieces = await store.findPieces(db, { id });
  const sizeBytes = pieces.reduce((sum, it) => sum + it.sizeBytes, 0);
  if (sizeBytes === 0) throw new Failure("malformed_body", "The upload is empty. Send the bytes of the video.");
  if (row.lengthBytes !== null && row.lengthBytes !== sizeBytes)
    throw wrongLength(row.lengthBytes, `only ${sizeBytes} have arrived. They are kept; send the rest.`);
  const { objectKey, sha256, isJoined } = await joinPieces(objects, { ...row, offsetBytes: sizeBytes }, pieces, whole);
  const refusal = whole?.refusal() ?? null;
  if (refusal !== null) {
    if (isJoined) await objects.delete(objectKey);
    // A refused request must leave the upload unchanged. Its bytes are not kept, or repeated refusals would fill the store.
    if (await store.takeBackPieces(db, { id, writer, keptBytes: row.offsetBytes })) await removeObjectsNow(parts, ...addedKeys);
    throw refusal;
  }
  const piecesKey = `${folderOf(id)}/pieces`;
  const accepted = await transaction(db, async (tx) => {
    if ((await store.removePartial(tx, { id, writer, ownerId: null })) === null) return null;
    const upload = await acceptUpload(tx, parts, { id, ownerId, name, objectKey, sizeBytes, sha256 });
    // After the check of the quota: the bytes have arrived, so the upload is complete, even if its pieces count for a while.
    if (isJoined) await letEnd(tx, objects, { key: piecesKey, ownerId, sizeBytes: objects.keepDeletedMs > 0 ? sizeBytes : 0 });
    return upload;
  });
  if (accepted === null) {
    if (isJoined) await objects.delete(objectKey);
    throw mismatch(sizeBytes, false);
  }
  if (isJoined) await removeEnded(parts, piecesKey);
  return { offsetBytes: sizeBytes, accepted };
}

/** How far an upload is. First records the bytes received so far. A request that is still sending continues. */
export async function findTransfer({ db, appends }: TransferParts, ownerId: string, id: string): Promise<Transfer> {
  await appends.record(nameOf(ownerId, id));
  const row = await store.tellOffset(db, { ownerId, id });
  if (row !== null) return { offsetBytes: row.offsetBytes, accepted: null, begunAt: new Date(row.createdAt) };
  const accepted = await readUpload(db, ownerId, id);
  return { offsetBytes: Number(accepted.sizeBytes), accepted };
}

/** Deletes an upload that is not complete, and stops a request that adds to it. */
export async function deleteTransfer(parts: TransferParts, ownerId: string, id: string): Promise<void> {
  await parts.appends.stop(nameOf(ownerId, id));
  await deleteUpload(parts, id, (tx) => store.removePartial(tx, { id, ownerId, writer: null }));
}

/** Removes uploads that were not completed in time, and lets their bytes end. Returns their number. */
export function expireUploads(env: Pick<UploadParts, "db" | "queue" | "objects">): Promise<number> {
  const removeSome = async (tx: Tx, limit: number) => {
    const removed = await store.removeExpired(tx, { ageSeconds: UPLOAD_AGE_SECONDS, limit });
    for (const { id, ...row } of removed) await discardUpload(tx, env, id, row);
    return removed.length;
  };
  return purge((limit) => transaction(env.db, (tx) => removeSome(tx, limit)), { batch: EXPIRED_TOGETHER });
}

/** Includes the owner, so that a client with the id of another user's upload can neither stop it nor wait for it. */
const nameOf = (ownerId: string, id: string) => `${ownerId} ${id}`;
