import type { ObjectStore } from "../../storage/object-store.ts";
import type { Expectation } from "../digests.ts";
import { folderOf, piecesOf } from "../objects/object-keys.ts";
import { mismatch } from "./failures.ts";
import type { Piece, ClaimedUpload } from "./store.ts";

/** Joins the pieces of an upload into one object, and updates `whole`. A single piece is used as it is. */
export async function joinPieces(
  objects: ObjectStore,
  upload: ClaimedUpload,
  pieces: readonly Piece[],
  whole: Expectation | null,
) {
  const { id, writer, offsetBytes: sizeBytes } = upload;
  const bytes = readPieces(objects, pieces, sizeBytes);
  const [first] = pieces;
  // The object of another writer can have more bytes than the piece.
  if (pieces.length === 1 && first !== undefined && first.key.startsWith(piecesOf(id, writer))) {
    if (whole !== null) for await (const chunk of bytes) whole.update(chunk);
    return { objectKey: first.key, sha256: first.sha256, isJoined: false };
  }
  // The key has the id of the writer, so that a writer that has lost its claim can't overwrite the object of another one.
  const objectKey = `${folderOf(id)}/joined/${writer}`;
  const check = async (chunk: Uint8Array) => whole?.update(chunk);
  const { sha256 } = await objects.put(objectKey, bytes, { maxBytes: sizeBytes, expectedBytes: sizeBytes, check });
  return { objectKey, sha256, isJoined: true };
}

async function* readPieces(objects: ObjectStore, pieces: readonly Piece[], sizeBytes: number): AsyncGenerator<Buffer> {
  for (const { key, sizeBytes: pieceBytes } of pieces) {
    const piece = await objects.get(key, { start: 0, end: pieceBytes - 1 });
    // Another process has joined the pieces, or the upload was deleted.
    if (piece === null || piece.sizeBytes < pieceBytes) {
      piece?.stream.destroy();
      throw mismatch(sizeBytes, false);
    }
    yield* piece.stream as AsyncIterable<Buffer>;
  }
}
