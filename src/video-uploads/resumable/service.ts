/**
 * Resumable uploads (draft-ietf-httpbis-resumable-upload-11). Bytes become durable pieces, which the last request joins. A later
 * request stops an earlier one.
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
import { contentLengthOf } from "../receive-body.ts";
import { expire, purgeExpired } from "../objects/removal.ts";
import { acceptUpload, deleteUpload, readUpload, type UploadParts } from "../service.ts";
import { findUpload, type VideoUploadRow } from "../store.ts";
import { createAppends } from "./appends.ts";
import { earlyDigest, mismatch, tooSlow, wrongLength } from "./failures.ts";
import { joinPieces } from "./join-pieces.ts";
import { minPieceBytes, receivePieces, refuseShortPiece } from "./receive-pieces.ts";
import { Segments } from "./segments.ts";
import * as store from "./store.ts";

/** The state of an upload. Only a complete one has `accepted`, its row; only an incomplete one has `begunAt`. */
export type Transfer = { readonly offsetBytes: number; readonly accepted: VideoUploadRow | null; readonly begunAt?: Date };

/** The limits for the rest of an upload. */
export type TransferLimits = { readonly maxBytes: number; readonly minAppendBytes: number; readonly maxAgeSeconds: number };

export type TransferParts = ReturnType<typeof openTransfers>;
export const openTransfers = (parts: UploadParts) => ({ ...parts, appends: createAppends<Transfer>() });

/** A request that appends to an upload. `isLast`: it completes the upload. `offset` is null if it begins the upload. */
type AppendRequest = {
  readonly ownerId: string;
  readonly id: string;
  readonly offset: number | null;
  readonly isLast: boolean;
  readonly body: Readable;
  readonly digests: Digests;
};

/** The maximum number of incomplete uploads of a user. */
const UNFINISHED_MAX = 100;
/** An incomplete upload is removed after this time. */
export const UPLOAD_AGE_SECONDS = 24 * 3600;
const EXPIRY_BATCH = 500;

export function limitsOf(parts: TransferParts, begunAt = new Date()): TransferLimits {
  const ageSeconds = Math.floor((Date.now() - begunAt.getTime()) / 1_000);
  const maxAgeSeconds = Math.max(0, UPLOAD_AGE_SECONDS - ageSeconds);
  return { maxBytes: parts.maxUploadBytes, minAppendBytes: minPieceBytes(parts), maxAgeSeconds };
}

/** Begins an upload, or finds it by its idempotency key. The key stores `answer(id)`, because the bytes can stop at any point. */
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
  const { id } = (await once(db, { ...input, checkResponse: () => undefined }, begin, { content, isStillValid })).body;
  return { id, isFresh: id === fresh.id };
}

async function insertTransfer(tx: Tx, { quota }: TransferParts, upload: store.NewPartial): Promise<void> {
  const { id, ownerId, lengthBytes } = upload;
  if ((await store.countPartials(tx, ownerId, UNFINISHED_MAX)) === UNFINISHED_MAX) {
    const detail = `${UNFINISHED_MAX} of your uploads are not complete. Complete or delete some first.`;
    throw new Failure("rate_limited", detail, { retryAfterSeconds: 60 });
  }
  await store.insertPartial(tx, upload);
  if (lengthBytes !== null) await quota.reserveBytes(tx, { id, ownerId, partialId: id }, lengthBytes);
}

type FirstRequest = Omit<AppendRequest, "offset"> & { readonly isFresh: boolean };

/** Stores the bytes of the request that begins an upload. A retry stores nothing and gets the state of the upload. */
export async function storeFirstBytes(parts: TransferParts, { isFresh, ...first }: FirstRequest): Promise<Transfer> {
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
  const completion = appends.completionOf(appendKey(ownerId, id));
  // All bytes have arrived, and only the response was lost. Return the same one.
  if (isLast && completion !== null && offset === completion.sizeBytes) return completion.result;
  return appends.run(appendKey(ownerId, id), body, async (append) => {
    const writer = randomUUID();
    const claim = await transaction(db, (tx) => claimUpload(tx, parts, request, writer));
    if (claim.refusal !== null) throw claim.refusal;
    const { row } = claim;
    // If this fails, they are deleted with the other pieces, when the upload is complete or deleted.
    await removeObjectsNow(parts, ...claim.unneededKeys);
    append.segments = new Segments(body, idleMs);
    const received = await receivePieces(parts, row, append.segments, { content: digests.content, isLast });
    if (received.end === "superseded") throw await currentMismatch(db, ownerId, id);
    if (received.end === "truncated") throw tooSlow(received.offset);
    if (!isLast) {
      if ((await store.confirmBytes(db, { id, writer })) === 0) throw await currentMismatch(db, ownerId, id);
      return { offsetBytes: received.offset, accepted: null, begunAt: new Date(row.createdAt) };
    }
    append.completion = { sizeBytes: received.offset, result: complete(parts, row, received.keys, digests.whole) };
    return append.completion.result;
  });
}

/**
 * Claims an upload at its offset, or at the last reported one; later bytes are discarded. A refused request holds the claim, too.
 */
async function claimUpload(tx: Tx, parts: TransferParts, { ownerId, id, offset, isLast, body }: AppendRequest, writer: string) {
  const row = await store.claimPartial(tx, { ownerId, id, writer });
  if (row === null) return { refusal: await currentMismatch(tx, ownerId, id) };
  const { offsetBytes, toldBytes: reportedOffset } = row;
  const begin = offset ?? offsetBytes;
  if (begin !== offsetBytes && begin !== reportedOffset) return { refusal: mismatch(offsetBytes, false) };
  const contentLength = contentLengthOf(body);
  const refusal = isLast || contentLength === null ? null : refuseShortPiece(parts, row, contentLength);
  if (refusal !== null) return { refusal };
  const truncated = begin === offsetBytes ? null : await store.truncatePieces(tx, { id, writer, keptBytes: begin });
  const { pieceCount, unneededKeys } = truncated ?? { pieceCount: row.pieceCount, unneededKeys: [] };
  return { refusal: null, row: { ...row, offsetBytes: begin, pieceCount }, unneededKeys };
}

/** The failure of a request that has lost its claim, with the current offset. */
async function currentMismatch(tx: Tx, ownerId: string, id: string): Promise<Failure> {
  const row = await store.findPartial(tx, { id, ownerId });
  return row === null ? mismatch(Number((await readUpload(tx, ownerId, id)).sizeBytes), true) : mismatch(row.offsetBytes, false);
}

/** Joins the pieces and creates the job. After a crash, the upload is unchanged, and the client can complete it again. */
async function complete(parts: TransferParts, row: store.ClaimedUpload, addedKeys: readonly string[], whole: Expectation | null) {
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
    // A refused request leaves the upload unchanged. Otherwise, repeated refusals would fill the store.
    if (await store.truncatePieces(db, { id, writer, keptBytes: row.offsetBytes })) await removeObjectsNow(parts, ...addedKeys);
    throw refusal;
  }
  const piecesKey = `${folderOf(id)}/pieces`;
  const accepted = await transaction(db, async (tx) => {
    if ((await store.removePartial(tx, { id, writer, ownerId: null })) === null) return null;
    const upload = await acceptUpload(tx, parts, { id, ownerId, name, objectKey, sizeBytes, sha256 });
    // After the check of the storage quota, because retained pieces must not make an upload fail that has arrived.
    if (isJoined) await expire(tx, objects, { key: piecesKey, ownerId, sizeBytes: objects.retainDeletedMs > 0 ? sizeBytes : 0 });
    return upload;
  });
  if (accepted === null) {
    if (isJoined) await objects.delete(objectKey);
    throw mismatch(sizeBytes, false);
  }
  if (isJoined) await purgeExpired(parts, piecesKey);
  return { offsetBytes: sizeBytes, accepted };
}

/** The state of an upload, after the bytes received so far are durable. A request that is still sending continues. */
export async function findTransfer({ db, appends }: TransferParts, ownerId: string, id: string): Promise<Transfer> {
  await appends.flush(appendKey(ownerId, id));
  const row = await store.reportOffset(db, { ownerId, id });
  if (row !== null) return { offsetBytes: row.offsetBytes, accepted: null, begunAt: new Date(row.createdAt) };
  const accepted = await readUpload(db, ownerId, id);
  return { offsetBytes: Number(accepted.sizeBytes), accepted };
}

/** Deletes an incomplete upload, and stops a request that appends to it. */
export async function deleteTransfer(parts: TransferParts, ownerId: string, id: string): Promise<void> {
  await parts.appends.stop(appendKey(ownerId, id));
  await deleteUpload(parts, id, (tx) => store.removePartial(tx, { id, ownerId, writer: null }));
}

/** Removes uploads that were not completed in time, expires their objects, and returns their number. */
export function expireUploads(env: Pick<UploadParts, "db" | "queue" | "objects">): Promise<number> {
  const removeSome = async (tx: Tx, limit: number) => {
    const removed = await store.removeExpired(tx, { ageSeconds: UPLOAD_AGE_SECONDS, limit });
    for (const { id, ...row } of removed) await discardUpload(tx, env, id, row);
    return removed.length;
  };
  return purge((limit) => transaction(env.db, (tx) => removeSome(tx, limit)), { batch: EXPIRY_BATCH });
}

/** Includes the owner, so that another user with the id of the upload can neither stop it nor wait for it. */
const appendKey = (ownerId: string, id: string) => `${ownerId} ${id}`;
