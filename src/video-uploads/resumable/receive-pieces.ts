import { createHash, type Hash } from "node:crypto";
import { contentTooLarge, type Failure } from "../../failure.ts";
import type { ObjectStore, PutOptions } from "../../storage/object-store.ts";
import { piecesOf } from "../objects/object-keys.ts";
import { addPiece, type Piece, type ClaimedUpload } from "./store.ts";
import { orTooLarge } from "../receive-body.ts";
import { invalidHeader, wrongLength } from "./failures.ts";
import type { AppendRequest } from "./transfer.ts";
import { UNLIMITED, type Segments, type SegmentSize } from "./segments.ts";
import type { UploadParts } from "../service.ts";

/**
 * A killed process can lose 4 MiB: this and the last 64 KiB chunk. Pieces are larger if a video would have more than
 * `PIECES_FOR_LARGEST`.
 */
const PIECE_MAX_BYTES = (4 * 1024 - 64) * 1024;
/** The minimum size of a piece, which is larger in the same case. */
const PIECE_MIN_BYTES = 256 * 1024;
const PIECES_FOR_LARGEST = 8_000;
/** More than `PIECES_FOR_LARGEST`, because connections break. */
const PIECES_MAX = 10_000;
/** From this number of pieces on, an upload accepts no short ones. */
const SHORT_PIECES_MAX = 100;

type Sizes = Pick<UploadParts, "maxUploadBytes">;

/** The minimum size of the next pieces of an upload that has many. */
export const minPieceBytes = ({ maxUploadBytes }: Sizes): number =>
  Math.max(PIECE_MIN_BYTES, Math.ceil(maxUploadBytes / PIECES_FOR_LARGEST));

/** Some short pieces are accepted, because connections break, but many would be slow to join. The last one can have any size. */
export function refuseShortPiece(sizes: Sizes, { pieceCount }: ClaimedUpload, sizeBytes: number): Failure | null {
  const minBytes = minPieceBytes(sizes);
  const refuse = (advice: string) => invalidHeader("content-length", "minimum", `The upload has ${pieceCount} parts${advice}`);
  if (pieceCount >= PIECES_MAX) return refuse(", which is the maximum. Send the rest as the last one.");
  if (pieceCount < SHORT_PIECES_MAX || sizeBytes >= minBytes) return null;
  return refuse(`. Send at least ${minBytes} bytes, or the last part.`);
}

/**
 * The size of the next piece. With twice the minimum for slow clients, a request never makes more pieces than requests of the
 * minimum size.
 */
function nextSegmentSize(sizes: Sizes, pieceCount: number): SegmentSize {
  if (pieceCount + 1 >= PIECES_MAX) return UNLIMITED;
  const slowBytes = 2 * minPieceBytes(sizes);
  const askedBytes = pieceCount < SHORT_PIECES_MAX ? 1 : slowBytes;
  return { maxBytes: Math.max(PIECE_MAX_BYTES, slowBytes), slowBytes, askedBytes };
}

type Received = Pick<AppendRequest, "isLast" | "digests" | "onStored">;

/**
 * Stores the body of a request, even if it breaks (`truncated`), as durable pieces. `superseded`: another request has claimed the
 * upload.
 */
export async function receivePieces(parts: UploadParts, row: ClaimedUpload, segments: Segments, request: Received) {
  const { isLast, onStored, digests } = request;
  const { content, whole } = digests;
  const { db, quota, objects, maxUploadBytes } = parts;
  const { id, ownerId, writer, lengthBytes, pieceCount } = row;
  const refusal = (error: unknown) =>
    lengthBytes === null ? contentTooLarge("A video", maxUploadBytes, error) : wrongLength(lengthBytes, "more have arrived.");
  const meter = quota.meter({ id, ownerId, partialId: id }, lengthBytes ?? 0);
  const added: AddedPiece[] = [];
  let offset = row.offsetBytes;
  const received = (end: "whole" | "truncated" | "superseded") => ({ offset, end });
  try {
    while (!segments.isEnded) {
      const earlierBytes = offset;
      const maxBytes = (lengthBytes ?? maxUploadBytes) - earlierBytes;
      // With a Content-Digest, only the whole body can be checked.
      const size = content === null ? nextSegmentSize(parts, pieceCount + added.length) : UNLIMITED;
      const check = async (chunk: Uint8Array, bytes: number) => {
        await meter(earlierBytes + bytes);
        content?.update(chunk);
      };
      const expectedBytes = lengthBytes === null ? undefined : maxBytes;
      const bounds = { maxBytes, expectedBytes, check, freesChunks: true, countsAsUpload: true };
      const newKey = `${piecesOf(id, writer)}-${added.length}`;
      const stored = await orTooLarge(storePiece(objects, added.at(-1), newKey, segments.next(size), bounds), refusal);
      const { key, sizeBytes, isNew } = stored;
      const mayBeShort = isLast || !segments.isEnded || added.length > 0;
      const wrong = segments.isTruncated
        ? null
        : (content?.refusal() ?? (mayBeShort ? null : refuseShortPiece(parts, row, sizeBytes)));
      const canBeTruncated = content === null && pieceCount + added.length < PIECES_MAX;
      const counts = wrong === null && sizeBytes > 0 && (!segments.isTruncated || canBeTruncated);
      const isAdded = counts && (await addPiece(db, { id, writer, ...stored, newPieces: isNew ? 1 : 0 })) === 1;
      if (isNew && !isAdded) await objects.delete(key);
      if (wrong !== null) throw wrong;
      if (counts && !isAdded) return received("superseded");
      if (isAdded) {
        const earlier = isNew ? 0 : added.pop()!.sizeBytes;
        added.push({ ...stored, sizeBytes: earlier + sizeBytes });
        offset += sizeBytes;
      }
      segments.markDurable();
      // Without a digest of the whole, because bytes that don't match it are discarded.
      if (isAdded && whole === null && !segments.isEnded) onStored?.(offset);
    }
    return received(segments.isTruncated ? "truncated" : "whole");
  } finally {
    segments.end();
  }
}

/** A piece with the hash of its bytes, to continue when it grows. */
type AddedPiece = Piece & { readonly hash: Hash };

/** Extends the last piece if the store can do that, else stores a new one. */
async function storePiece(
  objects: ObjectStore,
  last: AddedPiece | undefined,
  newKey: string,
  source: AsyncIterable<Uint8Array>,
  bounds: PutOptions,
) {
  const grown = last && (await objects.extend(last.key, last.sizeBytes, source, { ...bounds, hash: last.hash }));
  if (last && grown) return { ...grown, key: last.key, hash: last.hash, isNew: false };
  const hash = createHash("sha256");
  return { ...(await objects.put(newKey, source, { ...bounds, hash })), key: newKey, hash, isNew: true };
}
