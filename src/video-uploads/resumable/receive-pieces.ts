import { contentTooLarge, type Failure } from "../../failure.ts";
import { watchedBy, type Expectation } from "../digests.ts";
import { folderOf } from "../object-keys.ts";
import { addPiece, type PartialUploadRow, type Piece } from "./store.ts";
import { metered, put } from "../receive-body.ts";
import { invalidHeader } from "./failures.ts";
import type { Segments } from "./segments.ts";
import type { UploadParts } from "../service.ts";

/** The minimum size of a piece, unless the largest video would then need more than `PIECES_FOR_LARGEST` pieces. */
const PIECE_LEAST_BYTES = 256 * 1024;
const PIECES_FOR_LARGEST = 8_000;
/** Larger than `PIECES_FOR_LARGEST`, as a margin for broken connections. */
const PIECES_MAX = 10_000;
/** An upload with this many pieces accepts no more short ones. */
const SHORT_PIECES_MAX = 100;

/** Stores the bytes of a resumable upload as durable pieces. */
export function createPieceReceiver({ db, quota, objects, maxUploadBytes }: UploadParts) {
  const leastPieceBytes = Math.max(PIECE_LEAST_BYTES, Math.ceil(maxUploadBytes / PIECES_FOR_LARGEST));

  /** Connections break, so some short pieces are accepted, but many would be slow to join. The last piece may have any size. */
  const refuseShort = ({ pieceCount }: PartialUploadRow, sizeBytes: number): Failure | null => {
    const refuse = (advice: string) => invalidHeader("content-length", "minimum", `The upload has ${pieceCount} parts${advice}`);
    if (pieceCount >= PIECES_MAX) return refuse(", which is the maximum. Send the rest as the last one.");
    if (pieceCount < SHORT_PIECES_MAX || sizeBytes >= leastPieceBytes) return null;
    return refuse(`. Send at least ${leastPieceBytes} bytes, or the last part.`);
  };

  /**
   * Stores the body of a request, up to where it breaks, as the next pieces of its upload. Returns the pieces and the offset
   * after them. `isCut` is true if the body stopped before its end, or if another request has taken the upload.
   */
  async function receivePieces(
    row: PartialUploadRow,
    writer: string,
    segments: Segments,
    { content, isLast }: { content: Expectation | null; isLast: boolean },
  ) {
    const lengthBytes = row.lengthBytes ?? maxUploadBytes;
    const refusal = (error: unknown) =>
      row.lengthBytes === null
        ? contentTooLarge("A video", maxUploadBytes, error)
        : invalidHeader("upload-length", "upload_length", `Upload-Length is ${lengthBytes} bytes, but more have arrived.`);
    const meter = quota.meter({ id: row.id, ownerId: row.ownerId, isResumable: true }, row.lengthBytes ?? 0);
    let offset = row.offsetBytes;
    const added: Piece[] = [];
    try {
      while (!segments.isOver()) {
        const key = `${folderOf(row.id)}/pieces/${writer}-${added.length}`;
        const earlierBytes = offset;
        const maxBytes = lengthBytes - earlierBytes;
        const source = metered(watchedBy(segments.segment(), content), (bytes) => meter(earlierBytes + bytes));
        const bounds = { maxBytes, expectedBytes: row.lengthBytes === null ? undefined : maxBytes, refusal };
        const { sizeBytes, sha256 } = await put(objects, key, source, bounds);
        const mayBeShort = isLast || !segments.isOver() || added.length > 0;
        const wrong = segments.isCut() ? null : (content?.refusal() ?? (mayBeShort ? null : refuseShort(row, sizeBytes)));
        if (wrong !== null) {
          await objects.delete(key);
          throw wrong;
        }
        const counts = sizeBytes > 0 && (!segments.isCut() || (segments.keepsTail() && !isFull(row, added.length)));
        const piece = { key, sizeBytes, sha256 };
        if (counts && (await addPiece(db, row.id, writer, piece))) {
          added.push(piece);
          offset += sizeBytes;
        } else {
          await objects.delete(key);
          if (counts) return { offset, added, isCut: true };
        }
        segments.recorded();
      }
      return { offset, added, isCut: segments.isCut() };
    } finally {
      segments.end();
    }
  }

  return { leastPieceBytes, refuseShort, receivePieces };
}

/** Whether an upload has the maximum number of pieces, including those that the current request has added. */
export const isFull = ({ pieceCount }: PartialUploadRow, addedCount = 0): boolean => pieceCount + addedCount >= PIECES_MAX;
