import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import { transaction, type Tx } from "../../database/client.ts";
import { Failure } from "../../failure.ts";
import { expectDigest, watchedBy, type DigestHeaders, type Expectation } from "../digests.ts";
import { folderOf, piecesOf, removeObjectsNow } from "../object-keys.ts";
import { announcedBytes } from "../receive-body.ts";
import { letEnd, removeEnded } from "../removal.ts";
import { acceptedAnswer, acceptUpload, deleteUpload, readUpload, type UploadParts } from "../service.ts";
import { findUpload } from "../store.ts";
import { createAppends } from "./appends.ts";
import { UPLOAD_AGE_SECONDS } from "./expire.ts";
import { invalidHeader, mismatch } from "./failures.ts";
import { createPieceReceiver } from "./receive-pieces.ts";
import { createSegments } from "./segments.ts";
import {
  confirmBytes,
  countPartials,
  findPartial,
  findPieces,
  insertPartial,
  removePartial,
  takeBackPieces,
  takePartial,
  tellOffset,
  type NewPartial,
  type PartialUploadRow,
  type Piece,
} from "./store.ts";

/** A request that adds to an upload. `isLast`: no bytes follow. `offset` is null for the request that begins the upload. */
type AppendRequest = {
  readonly ownerId: string;
  readonly id: string;
  readonly offset: number | null;
  readonly isLast: boolean;
  readonly body: Readable;
  readonly digests?: DigestHeaders;
};

/** The maximum number of incomplete uploads of a user. Each is removed after a day. */
const UNFINISHED_MAX = 100;

/**
 * Uploads that survive broken connections, after draft-ietf-httpbis-resumable-upload-11. The bytes of a request, up to where
 * it breaks or this process is killed, become durable pieces. The last request joins them. At most one request adds to an upload: a
 * later one stops an earlier one in this process, and shuts out one in any other process (the section "Concurrency" of the draft).
 */
export function createResumableUploads(parts: UploadParts) {
  const { db, quota, objects, maxUploadBytes, idleMs } = parts;
  const pieceReceiver = createPieceReceiver(parts);
  const appends = createAppends<Awaited<ReturnType<typeof complete>>>();

  /** The value of `Upload-Limit`. `max-age` is the remaining time. */
  const limitOf = ({ createdAt } = { createdAt: new Date() }) => {
    const leftSeconds = Math.max(0, UPLOAD_AGE_SECONDS - Math.floor((Date.now() - createdAt.getTime()) / 1_000));
    return `max-size=${maxUploadBytes}, min-append-size=${pieceReceiver.leastPieceBytes}, max-age=${leftSeconds}`;
  };

  const headersOf = (offset: number, isComplete: boolean, row?: PartialUploadRow) =>
    ({ "Upload-Offset": offset, "Upload-Complete": isComplete ? "?1" : "?0", "Upload-Limit": limitOf(row) }) as const;

  /**
   * Gives an upload to a request, if that begins where the upload ends or where a client was told that it ends. What has arrived
   * since then is taken back. After a refusal, the request holds the upload as well, so that the offset in the refusal is right.
   */
  async function takeOver(tx: Tx, { ownerId, id, offset, isLast, body }: AppendRequest, writer: string) {
    const row = await takePartial(tx, ownerId, id, writer);
    if (row === null) return { refusal: mismatch(Number((await readUpload(tx, ownerId, id)).sizeBytes), true) };
    const begin = offset ?? row.offsetBytes;
    if (begin !== row.offsetBytes && begin !== row.toldBytes) return { refusal: mismatch(row.offsetBytes, false) };
    const announced = announcedBytes(body);
    const refusal = isLast || announced === null ? null : pieceReceiver.refuseShort(row, announced);
    if (refusal !== null) return { refusal };
    const back = begin === row.offsetBytes ? null : await takeBackPieces(tx, id, writer, begin);
    const { pieceCount, unneededKeys } = back ?? { pieceCount: row.pieceCount, unneededKeys: [] };
    return { refusal: null, row: { ...row, offsetBytes: begin, pieceCount }, unneededKeys };
  }

  /** Another request has taken the upload. */
  async function mismatchNow(ownerId: string, id: string): Promise<Failure> {
    const row = await findPartial(db, ownerId, id);
    return row === null
      ? mismatch(Number((await readUpload(db, ownerId, id)).sizeBytes), true)
      : mismatch(row.offsetBytes, false);
  }

  /** Joins the pieces and creates the job. After a crash, the upload is as before, and the client can complete it again. */
  async function complete(row: PartialUploadRow, writer: string, addedKeys: readonly string[], whole: Expectation | null) {
    const pieces = await findPieces(db, row.id);
    const sizeBytes = pieces.reduce((sum, it) => sum + it.sizeBytes, 0);
    if (sizeBytes === 0) throw new Failure("malformed_body", "The upload is empty. Send the bytes of the video.");
    if (row.lengthBytes !== null && row.lengthBytes !== sizeBytes)
      throw invalidHeader(
        "upload-length",
        "upload_length",
        `Upload-Length is ${row.lengthBytes} bytes, but only ${sizeBytes} have arrived. They are kept; send the rest.`,
      );
    const [first] = pieces;
    // The object of another writer can have more bytes than those that count.
    const isWhole = pieces.length === 1 && first !== undefined && first.key.startsWith(piecesOf(row.id, writer));
    // The key has the id of the writer, so that a writer that has lost the upload cannot overwrite the object of another.
    const objectKey = isWhole ? first.key : `${folderOf(row.id)}/joined/${writer}`;
    const piecesKey = `${folderOf(row.id)}/pieces`;
    const bytes = watchedBy(joined(pieces, sizeBytes), whole);
    const { sha256 } = isWhole ? first : await objects.put(objectKey, bytes, { maxBytes: sizeBytes, expectedBytes: sizeBytes });
    if (isWhole && whole !== null) for await (const _ of bytes);
    const refusal = whole?.refusal() ?? null;
    if (refusal !== null) {
      if (!isWhole) await objects.delete(objectKey);
      // A refused request must leave the upload unchanged. Its bytes are not kept, or repeated refusals would fill the store.
      if (await transaction(db, (tx) => takeBackPieces(tx, row.id, writer, row.offsetBytes))) await removeAll(addedKeys);
      throw refusal;
    }
    const accepted = await transaction(db, async (tx) => {
      const { id, ownerId, name } = row;
      if ((await removePartial(tx, id, { writer })) === null) return null;
      const upload = await acceptUpload(tx, parts, { id, ownerId, name, objectKey, sizeBytes, sha256 });
      // After the check of the quota: the bytes have arrived, so the upload is complete, even if its pieces count for a while.
      if (!isWhole) await letEnd(tx, objects, { key: piecesKey, ownerId, sizeBytes: objects.keepDeletedMs > 0 ? sizeBytes : 0 });
      return upload;
    });
    if (accepted === null) {
      if (!isWhole) await objects.delete(objectKey);
      throw mismatch(sizeBytes, false);
    }
    if (!isWhole) await removeEnded(parts, piecesKey);
    return acceptedAnswer(accepted, headersOf(sizeBytes, true));
  }

  /** What is left here goes with the other pieces, when the upload is complete or deleted. */
  const removeAll = async (keys: readonly string[]): Promise<void> => {
    for (const key of keys) await removeObjectsNow(parts, key);
  };

  async function* joined(pieces: readonly Piece[], sizeBytes: number): AsyncGenerator<Buffer> {
    for (const { key, sizeBytes: pieceBytes } of pieces) {
      const piece = await objects.get(key, { start: 0, end: pieceBytes - 1 });
      // Another process has joined the pieces, or the upload was deleted.
      if (piece === null || piece.sizeBytes < pieceBytes) {
        piece?.stream.destroy();
        throw mismatch(sizeBytes, false);
      }
      for await (const chunk of piece.stream) yield chunk as Buffer;
    }
  }

  return {
    limitOf,

    /** Inserts the row of an upload, and reserves its storage if its length is known. */
    async begin(tx: Tx, upload: NewPartial): Promise<void> {
      const { id, ownerId, lengthBytes } = upload;
      if ((await countPartials(tx, ownerId, UNFINISHED_MAX)) === UNFINISHED_MAX) {
        const detail = `${UNFINISHED_MAX} of your uploads are not complete. Complete or delete some first.`;
        throw new Failure("rate_limited", detail, { retryAfterSeconds: 60 });
      }
      await insertPartial(tx, upload);
      if (lengthBytes !== null) await quota.take(tx, { id, ownerId, isResumable: true }, lengthBytes);
    },

    /** Whether an upload exists. Reads in this order, because an upload leaves the first table when it enters the second. */
    isPresent: async (tx: Tx, ownerId: string, id: string) =>
      (await findPartial(tx, ownerId, id)) !== null || (await findUpload(tx, ownerId, id)) !== null,

    async append({ ownerId, id, offset, isLast, body, digests = {} }: AppendRequest) {
      const [content, whole] = [expectDigest(digests, "Content-Digest"), expectDigest(digests, "Repr-Digest")];
      // An earlier digest of the whole upload would have to be stored until the last bytes arrive.
      if (whole !== null && !isLast)
        throw invalidHeader(
          "repr-digest",
          "conflicting_parameters",
          "Send Repr-Digest with the last bytes only, where Upload-Complete is ?1.",
        );
      const completion = appends.completionOf(nameOf(ownerId, id));
      // All bytes have arrived, and only the response was lost. Return the same one.
      if (isLast && completion !== null && offset === completion.sizeBytes) return completion.response;
      return appends.run(nameOf(ownerId, id), body, async (append) => {
        const writer = randomUUID();
        const taken = await transaction(db, (tx) => takeOver(tx, { ownerId, id, offset, isLast, body }, writer));
        if (taken.refusal !== null) throw taken.refusal;
        const { row } = taken;
        await removeAll(taken.unneededKeys);
        append.segments = createSegments(body, idleMs);
        const received = await pieceReceiver.receivePieces(row, writer, append.segments, { content, isLast });
        if (received.end === "taken") throw await mismatchNow(ownerId, id);
        if (received.end === "cut") {
          // Only a client that was too slow can read this response.
          const detail = `The bytes arrived too slowly. The upload has ${received.offset} bytes. Resume from there.`;
          throw new Failure("request_timeout", detail, { upload: { offset: received.offset, isComplete: false } });
        }
        if (!isLast) {
          if (!(await confirmBytes(db, id, writer))) throw await mismatchNow(ownerId, id);
          return { status: 204, headers: headersOf(received.offset, false, row) } as const;
        }
        append.completion = { sizeBytes: received.offset, response: complete(row, writer, received.keys, whole) };
        return append.completion.response;
      });
    },

    /** The offset of an upload. First records the bytes received so far. A request that is still sending continues. */
    async state(ownerId: string, id: string) {
      await appends.record(nameOf(ownerId, id));
      const row = await tellOffset(db, ownerId, id);
      if (row !== null) return headersOf(row.offsetBytes, false, row);
      return headersOf(Number((await readUpload(db, ownerId, id)).sizeBytes), true);
    },

    /** The 202 response for a complete upload, as at its completion. */
    async finished(ownerId: string, id: string) {
      return acceptedAnswer(await readUpload(db, ownerId, id), { "Idempotency-Replayed": "true" } as const);
    },

    async giveUp(ownerId: string, id: string): Promise<void> {
      await appends.stop(nameOf(ownerId, id));
      await deleteUpload(parts, id, (tx) => removePartial(tx, id, { ownerId }));
    },
  };
}

/** Includes the owner, so that a client with the id of another user's upload can neither stop it nor wait for it. */
const nameOf = (ownerId: string, id: string) => `${ownerId} ${id}`;
