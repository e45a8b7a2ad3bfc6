import { createHash, type Hash } from "node:crypto";
import { contentTooLarge, type Failure } from "../../failure.ts";
import type { ObjectStore, PutOptions } from "../../storage/object-store.ts";
import type { Expectation } from "../digests.ts";
import { piecesOf } from "../objects/object-keys.ts";
import { addPiece, type Piece, type TakenUpload } from "./store.ts";
import { orTooLarge } from "../receive-body.ts";
import { invalidHeader, wrongLength } from "./failures.ts";
import { UNDIVIDED, type Segments, type Span } from "./segments.ts";
import type { UploadParts } from "../service.ts";

/**
 * With the chunk of 64 KiB that completes it, a piece has at most 4 MiB, which are what a killed process can lose. Unless the
 * largest video would then need more than `PIECES_FOR_LARGEST` pieces.
 */
const PIECE_MOST_BYTES = (4 * 1024 - 64) * 1024;
/** The minimum size of a piece, with the same exception. */
const PIECE_LEAST_BYTES = 256 * 1024;
const PIECES_FOR_LARGEST = 8_000;
/** Larger than `PIECES_FOR_LARGEST`, as a margin for broken connections. */
const PIECES_MAX = 10_000;
/** An upload with this many pieces accepts no more short ones. */
const SHORT_PIECES_MAX = 100;

type Sizes = Pick<UploadParts, "maxUploadBytes">;

/** The size from which on an upload accepts any number of pieces. */
export const leastPieceBytes = ({ maxUploadBytes }: Sizes): number =>
  Math.max(PIECE_LEAST_BYTES, Math.ceil(maxUploadBytes / PIECES_FOR_LARGEST));

/** Connections break, so some short pieces are accepted, but many would be slow to join. The last piece may have any size. */
export function refuseShort(sizes: Sizes, { pieceCount }: TakenUpload, sizeBytes: number): Failure | null {
  const leastBytes = leastPieceBytes(sizes);
  const refuse = (advice: string) => invalidHeader("content-length", "minimum", `The upload has ${pieceCount} parts${advice}`);
  if (pieceCount >= PIECES_MAX) return refuse(", which is the maximum. Send the rest as the last one.");
  if (pieceCount < SHORT_PIECES_MAX || sizeBytes >= leastBytes) return null;
  return refuse(`. Send at least ${leastBytes} bytes, or the last part.`);
}

/**
 * The size of the next piece of a request. A split at twice the minimum leaves a request of any size with no more pieces than
 * requests of the minimum size would have. A full upload takes only one more piece.
 */
function spanAfter(sizes: Sizes, pieceCount: number): Span {
  if (pieceCount + 1 >= PIECES_MAX) return UNDIVIDED;
  const slowBytes = 2 * leastPieceBytes(sizes);
  const askedBytes = pieceCount < SHORT_PIECES_MAX ? 1 : slowBytes;
  return { mostBytes: Math.max(PIECE_MOST_BYTES, slowBytes), slowBytes, askedBytes };
}

type Received = { readonly content: Expectation | null; readonly isLast: boolean };

/**
 * Stores the body of a request, up to where it breaks, as the next durable pieces of its upload: as one that grows if the store can
 * do that. Returns their keys and the offset after them. `end` is `cut` if the body stopped before its end, and `taken` if another
 * request has taken the upload.
 */
export async function receivePieces(parts: UploadParts, row: TakenUpload, segments: Segments, { content, isLast }: Received) {
  const { db, quota, objects, maxUploadBytes } = parts;
  const { id, ownerId, writer, lengthBytes, pieceCount } = row;
  const refusal = (error: unknown) =>
    lengthBytes === null ? contentTooLarge("A video", maxUploadBytes, error) : wrongLength(lengthBytes, "more have arrived.");
  const meter = quota.meter({ id, ownerId, partialId: id }, lengthBytes ?? 0);
  const added: AddedPiece[] = [];
  let offset = row.offsetBytes;
  const received = (end: "whole" | "cut" | "taken") => ({ offset, keys: added.map(({ key }) => key), end });
  try {
    while (!segments.isOver) {
      const earlierBytes = offset;
      const maxBytes = (lengthBytes ?? maxUploadBytes) - earlierBytes;
      // With a Content-Digest, only the whole body can be checked.
      const span = content === null ? spanAfter(parts, pieceCount + added.length) : UNDIVIDED;
      const check = async (chunk: Uint8Array, bytes: number) => {
        await meter(earlierBytes + bytes);
        content?.update(chunk);
      };
      const expectedBytes = lengthBytes === null ? undefined : maxBytes;
      const bounds = { maxBytes, expectedBytes, check, freesChunks: true, countsAsUpload: true };
      const newKey = `${piecesOf(id, writer)}-${added.length}`;
      const stored = await orTooLarge(storePiece(objects, added.at(-1), newKey, segments.next(span), bounds), refusal);
      const { key, sizeBytes, isNew } = stored;
      const mayBeShort = isLast || !segments.isOver || added.length > 0;
      const wrong = segments.isCut ? null : (content?.refusal() ?? (mayBeShort ? null : refuseShort(parts, row, sizeBytes)));
      const canBeCut = content === null && pieceCount + added.length < PIECES_MAX;
      const counts = wrong === null && sizeBytes > 0 && (!segments.isCut || canBeCut);
      const isAdded = counts && (await addPiece(db, { id, writer, ...stored, newPieces: isNew ? 1 : 0 })) === 1;
      if (isNew && !isAdded) await objects.delete(key);
      if (wrong !== null) throw wrong;
      if (counts && !isAdded) return received("taken");
      if (isAdded) {
        const earlier = isNew ? 0 : added.pop()!.sizeBytes;
        added.push({ ...stored, sizeBytes: earlier + sizeBytes });
        offset += sizeBytes;
      }
      segments.recorded();
    }
    return received(segments.isCut ? "cut" : "whole");
  } finally {
    segments.end();
  }
}

/** With the hash of its bytes, which goes on when the piece grows. */
type AddedPiece = Piece & { readonly hash: Hash };

/** Adds a source to the last piece if the store can do that, else stores it as a new one. */
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
