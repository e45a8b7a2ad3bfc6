import { createHash } from "node:crypto";
import { contentTooLarge, type Failure } from "../../failure.ts";
import type { Expectation } from "../digests.ts";
import { piecesOf } from "../object-keys.ts";
import { addPiece, type PartialUploadRow, type Piece } from "./store.ts";
import { accepted, extend, put } from "../receive-body.ts";
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
export function refuseShort(sizes: Sizes, { pieceCount }: PartialUploadRow, sizeBytes: number): Failure | null {
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

/**
 * Stores the body of a request, up to where it breaks, as the next durable pieces of its upload: as one that grows if the store can
 * do that. Returns their keys and the offset after them. `end` is `cut` if the body stopped before its end, and `taken` if another
 * request has taken the upload.
 */
export async function receivePieces(
  parts: UploadParts,
  row: PartialUploadRow,
  writer: string,
  segments: Segments,
  { content, isLast }: { content: Expectation | null; isLast: boolean },
) {
  const { db, quota, objects, maxUploadBytes } = parts;
  const refusal = (error: unknown) =>
    row.lengthBytes === null
      ? contentTooLarge("A video", maxUploadBytes, error)
      : wrongLength(row.lengthBytes, "more have arrived.");
  const meter = quota.meter({ id: row.id, ownerId: row.ownerId, isResumable: true }, row.lengthBytes ?? 0);
  // Of the bytes of the last piece, which goes on when that piece grows.
  let hash = createHash("sha256");
  const added: Piece[] = [];
  let offset = row.offsetBytes;
  const received = (end: "whole" | "cut" | "taken") => ({ offset, keys: added.map(({ key }) => key), end });
  try {
    while (!segments.isOver) {
      const last = added.at(-1);
      const earlierBytes = offset;
      const maxBytes = (row.lengthBytes ?? maxUploadBytes) - earlierBytes;
      // With a Content-Digest, only the whole body can be checked.
      const span = content === null ? spanAfter(parts, row.pieceCount + added.length) : UNDIVIDED;
      const source = accepted(segments.next(span), (bytes) => meter(earlierBytes + bytes), [content]);
      const bounds = { maxBytes, expectedBytes: row.lengthBytes === null ? undefined : maxBytes, refusal };
      const grown = last === undefined ? null : await extend(objects, last.key, last.sizeBytes, source, { ...bounds, hash });
      if (grown === null) hash = createHash("sha256");
      const key = grown === null ? `${piecesOf(row.id, writer)}-${added.length}` : last!.key;
      const { sizeBytes, sha256 } = grown ?? (await put(objects, key, source, { ...bounds, hash }));
      const discard = () => (grown === null ? objects.delete(key) : undefined);
      const mayBeShort = isLast || !segments.isOver || added.length > 0;
      const wrong = segments.isCut ? null : (content?.refusal() ?? (mayBeShort ? null : refuseShort(parts, row, sizeBytes)));
      if (wrong !== null) {
        await discard();
        throw wrong;
      }
      const counts = sizeBytes > 0 && (!segments.isCut || (content === null && row.pieceCount + added.length < PIECES_MAX));
      if (!counts) await discard();
      else if (await addPiece(db, row.id, writer, { key, sizeBytes, sha256 }, grown !== null)) {
        if (grown !== null) added.pop();
        added.push({ key, sizeBytes: sizeBytes + (grown === null ? 0 : last!.sizeBytes), sha256 });
        offset += sizeBytes;
      } else {
        await discard();
        return received("taken");
      }
      segments.recorded();
    }
    return received(segments.isCut ? "cut" : "whole");
  } finally {
    segments.end();
  }
}
