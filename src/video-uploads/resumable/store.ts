import type * as sql from "#generated/sql/video-uploads/resumable.ts";
import type { Tx } from "../../database/client.ts";

export {
  addPiece,
  confirmBytes,
  findPartial,
  findPieces,
  removeExpired,
  removePartial,
  recordLength,
  truncatePieces,
  claimPartial,
  reportOffset,
} from "#generated/sql/video-uploads/resumable.ts";

/** An object whose first `sizeBytes` bytes are the next bytes of an upload. */
export type Piece = sql.FindPiecesRow;
/** An incomplete upload that one writer has claimed. */
export type ClaimedUpload = sql.ClaimPartialRow;
export type NewPartial = Pick<ClaimedUpload, "id" | "ownerId" | "name" | "lengthBytes">;

export async function insertPartial(tx: Tx, upload: NewPartial): Promise<void> {
  await tx.partialUpload.create({ data: upload });
}

/** Counts the incomplete uploads of a user, up to `most`. */
export function countPartials(tx: Tx, ownerId: string, most: number): Promise<number> {
  return tx.partialUpload.count({ where: { ownerId }, take: most });
}
