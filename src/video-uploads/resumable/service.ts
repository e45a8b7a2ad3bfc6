/**
 * Resumable uploads (draft-ietf-httpbis-resumable-upload-11). Bytes become durable pieces, which the last request joins. A later
 * request stops an earlier one.
 */
import { randomUUID, randomUUIDv7 } from "node:crypto";
import type { AnyOutput, Input } from "../../contract/contract.ts";
import { transaction, type Tx } from "../../database/client.ts";
import { purge } from "../../database/purge.ts";
import { Failure } from "../../failure.ts";
import { inProgress, once } from "../../idempotency/idempotency.ts";
import type { Expectation } from "../digests.ts";
import { discardUpload } from "../jobs.ts";
import { folderOf, removeObjectsNow } from "../objects/object-keys.ts";
import { contentLengthOf, isEmpty } from "../receive-body.ts";
import { expire, purgeExpired } from "../objects/removal.ts";
import { acceptUpload, deleteUpload, readUpload, type UploadParts } from "../service.ts";
import { findUpload } from "../store.ts";
import { announce, emptyUpload } from "./announced-length.ts";
import { createAppends } from "./appends.ts";
import { earlyDigest, mismatch, moreThanWhole, tooSlow, wrongLength } from "./failures.ts";
import { joinPieces } from "./join-pieces.ts";
import { UPLOAD_AGE_SECONDS } from "./limits.ts";
import { receivePieces, refuseShortPiece } from "./receive-pieces.ts";
import { Segments } from "./segments.ts";
import * as store from "./store.ts";
import type { AppendRequest, Transfer } from "./transfer.ts";

export type TransferParts = ReturnType<typeof openTransfers>;
export const openTransfers = (parts: UploadParts) => ({ ...parts, appends: createAppends<Transfer>() });

/** The maximum number of incomplete uploads of a user. */
const UNFINISHED_MAX = 100;
const EXPIRY_BATCH = 500;

/** Begins an upload, or finds it by its idempotency key. The key stores `answer(id)`, because the bytes can stop at any point. */
export async function beginTransfer<O extends AnyOutput & { readonly body: { readonly id: string } }>(
  parts: TransferParts,
  input: Input<"createVideoUpload">,
  { isLast, announcedBytes }: Pick<AppendRequest, "isLast" | "announcedBytes">,
  answer: (id: string) => O,
) {
  const { db, maxUploadBytes } = parts;
  const ownerId = input.principal.userId;
  const fresh = { id: randomUUIDv7(), ownerId, name: input.query.name ?? null };
  const begin = async (tx: Tx) => {
    const announced = announce(
      { isLast, announcedBytes, body: input.body },
      { offsetBytes: 0, lengthBytes: null },
      maxUploadBytes,
    );
    if (announced.refusal !== null) throw announced.refusal;
    await insertTransfer(tx, parts, { ...fresh, lengthBytes: announced.lengthBytes });
    return answer(fresh.id);
  };
  const content = { resumable: true, isLast, name: fresh.name, lengthBytes: announcedBytes };
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

/** Stores the bytes of a request. The last one completes the upload. A refusal has the state of the upload. */
export async function append(parts: TransferParts, request: AppendRequest): Promise<Transfer> {
  try {
    return await storeBytes(parts, request);
  } catch (error) {
    if (!(error instanceof Failure) || error.data.upload !== undefined) throw error;
    const row = await store.findPartial(parts.db, request);
    throw row === null ? error : error.with({ upload: { offset: row.offsetBytes, isComplete: false } });
  }
}

async function storeBytes(parts: TransferParts, request: AppendRequest): Promise<Transfer> {
  const { db, appends, idleMs } = parts;
  const { ownerId, id, offset, isLast, body, digests } = request;
  if (digests.whole !== null && !isLast) throw earlyDigest();
  const completion = appends.completionOf(appendKey(ownerId, id));
  // All bytes have arrived, and only the response was lost. Return the same one.
  if (isLast && completion !== null && offset === completion.sizeBytes && isEmpty(body)) return completion.result;
  return appends.run(appendKey(ownerId, id), body, async (append) => {
    const writer = randomUUID();
    const claim = await transaction(db, (tx) => claimUpload(tx, parts, request, writer));
    if (claim.refusal !== null) throw claim.refusal;
    const { row } = claim;
    // If this fails, they are deleted with the other pieces, when the upload is complete or deleted.
    await removeObjectsNow(parts, ...claim.unneededKeys);
    append.segments = new Segments(body, idleMs);
    const received = await receivePieces(parts, row, append.segments, request);
    if (received.end === "superseded") throw await currentMismatch(db, ownerId, id);
    if (received.end === "truncated") throw tooSlow(received.offset);
    if (!isLast) {
      if ((await store.confirmBytes(db, { id, writer })) === 0) throw await currentMismatch(db, ownerId, id);
      const { lengthBytes, createdAt } = row;
      return { offsetBytes: received.offset, lengthBytes, accepted: null, begunAt: new Date(createdAt) };
    }
    append.completion = { sizeBytes: received.offset, result: complete(parts, row, digests.whole) };
    return append.completion.result;
  });
}

/**
 * Claims an upload at its offset, or at the last reported one; later bytes are discarded. A refused request holds the claim, too.
 */
async function claimUpload(tx: Tx, parts: TransferParts, request: AppendRequest, writer: string) {
  const { ownerId, id, offset, isLast, body } = request;
  const row = await store.claimPartial(tx, { ownerId, id, writer });
  if (row === null) return { refusal: await refuseWhole(tx, request) };
  const { offsetBytes, reportedOffset } = row;
  const begin = offset ?? offsetBytes;
  if (begin !== offsetBytes && begin !== reportedOffset) return { refusal: mismatch(offsetBytes, false) };
  const announced = announce(request, { ...row, offsetBytes: begin }, parts.maxUploadBytes);
  if (announced.refusal !== null) return announced;
  const contentLength = contentLengthOf(body);
  const refusal = isLast || contentLength === null ? null : refuseShortPiece(parts, row, contentLength);
  if (refusal !== null) return { refusal };
  const { lengthBytes } = announced;
  if (lengthBytes !== row.lengthBytes) await recordLength(tx, parts, { ...row, lengthBytes });
  const truncated = begin === offsetBytes ? null : await store.truncatePieces(tx, { id, writer, offsetBytes: begin });
  const { pieceCount, unneededKeys } = truncated ?? { pieceCount: row.pieceCount, unneededKeys: [] };
  return { refusal: null, row: { ...row, lengthBytes, offsetBytes: begin, pieceCount }, unneededKeys };
}

/** Records the announced length, and reserves as many bytes. */
async function recordLength(tx: Tx, { quota }: TransferParts, { id, ownerId, writer, lengthBytes }: store.ClaimedUpload) {
  await store.recordLength(tx, { id, writer, lengthBytes: lengthBytes! });
  await quota.reserveBytes(tx, { id, ownerId, partialId: id }, lengthBytes!);
}

/** The failure of a request for an upload that is complete. Bytes at its end are beyond its length. */
async function refuseWhole(tx: Tx, { ownerId, id, offset, body }: AppendRequest): Promise<Failure> {
  const sizeBytes = Number((await readUpload(tx, ownerId, id)).sizeBytes);
  return offset === sizeBytes && !isEmpty(body) ? moreThanWhole(sizeBytes) : mismatch(sizeBytes, true);
}

/** The failure of a request that has lost its claim, with the current offset. */
async function currentMismatch(tx: Tx, ownerId: string, id: string): Promise<Failure> {
  const row = await store.findPartial(tx, { id, ownerId });
  return row === null ? mismatch(Number((await readUpload(tx, ownerId, id)).sizeBytes), true) : mismatch(row.offsetBytes, false);
}

/** Joins the pieces and creates the job. After a crash, the upload is unchanged, and the client can complete it again. */
async function complete(parts: TransferParts, row: store.ClaimedUpload, whole: Expectation | null): Promise<Transfer> {
  const { db, objects } = parts;
  const { id, ownerId, name, writer } = row;
  const pieces = await store.findPieces(db, { id });
  const sizeBytes = pieces.reduce((sum, it) => sum + it.sizeBytes, 0);
  if (sizeBytes === 0) throw emptyUpload();
  if (row.lengthBytes !== null && row.lengthBytes !== sizeBytes)
    throw wrongLength(row.lengthBytes, `only ${sizeBytes} have arrived. They are kept; send the rest.`);
  const { objectKey, sha256, isJoined } = await joinPieces(objects, { ...row, offsetBytes: sizeBytes }, pieces, whole);
  const refusal = whole?.refusal() ?? null;
  if (refusal !== null) {
    if (isJoined) await objects.delete(objectKey);
    // A refused request leaves the upload unchanged. Otherwise, repeated refusals would fill the store.
    const truncated = await store.truncatePieces(db, { id, writer, offsetBytes: row.offsetBytes });
    await removeObjectsNow(parts, ...(truncated?.unneededKeys ?? []));
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
  return { offsetBytes: sizeBytes, lengthBytes: sizeBytes, accepted };
}

/** The state of an upload, after the bytes received so far are durable. A request that is still sending continues. */
export async function findTransfer({ db, appends }: TransferParts, ownerId: string, id: string): Promise<Transfer> {
  await appends.flush(appendKey(ownerId, id));
  const row = await store.reportOffset(db, { ownerId, id });
  if (row !== null) return { ...row, accepted: null, begunAt: new Date(row.createdAt) };
  const accepted = await readUpload(db, ownerId, id);
  const sizeBytes = Number(accepted.sizeBytes);
  return { offsetBytes: sizeBytes, lengthBytes: sizeBytes, accepted };
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
