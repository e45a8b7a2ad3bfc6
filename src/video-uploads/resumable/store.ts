import type * as sql from "#generated/sql/video-uploads/resumable.ts";
import type { Tx } from "../../database/client.ts";

export * from "#generated/sql/video-uploads/resumable.ts";

/** An object whose first `sizeBytes` bytes are the next bytes of an upload. */
export type Piece = sql.FindPiecesRow;
/** An incomplete upload that one writer has. */
export type TakenUpload = sql.TakePartialRow;
export type NewPartial = Pick<TakenUpload, "id" | "ownerId" | "name" | "lengthBytes">;

export async function insertPartial(tx: Tx, upload: NewPartial): Promise<void> {
  await tx.partialUpload.create({ data: upload });
}

/** Counts the incomplete uploads of a user, up to `most`. */
export function countPartials(tx: Tx, ownerId: string, most: number): Promise<number> {
  return tx.partialUpload.count({ where: { ownerId }, take: most });
}
