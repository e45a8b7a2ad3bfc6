import * as sql from "#generated/sql/video-uploads/resumable.ts";
import type { Tx } from "../../database/client.ts";

export * from "#generated/sql/video-uploads/resumable.ts";

/** An object whose first `sizeBytes` bytes are the next bytes of an upload. */
export type Piece = sql.FindPiecesRow;
export type PartialUploadRow = sql.FindPartialRow;
/** An upload that one writer has. */
export type TakenUpload = PartialUploadRow & { readonly writer: string };
export type NewPartial = Pick<PartialUploadRow, "id" | "ownerId" | "name" | "lengthBytes">;

export async function insertPartial(tx: Tx, upload: NewPartial): Promise<void> {
  await tx.partialUpload.create({ data: upload });
}

/** Confirms all bytes, so that no writer can begin before them any more. False if another writer has taken the upload. */
export async function confirmBytes(tx: Tx, id: string, writer: string): Promise<boolean> {
  const { count } = await tx.partialUpload.updateMany({ where: { id, writer }, data: { toldBytes: null } });
  return count === 1;
}

/**
 * Gives the upload to this writer alone, so that an earlier writer cannot add to it. Null if there is no such upload. Only this
 * writer can still begin at `toldBytes`, in the same transaction.
 */
export async function takePartial(tx: Tx, ownerId: string, id: string, writer: string): Promise<TakenUpload | null> {
  const { count } = await tx.partialUpload.updateMany({ where: { id, ownerId }, data: { writer } });
  const row = count === 0 ? null : await sql.findPartial(tx, { id, ownerId });
  if (row !== null && row.toldBytes !== null) await confirmBytes(tx, id, writer);
  return row && { ...row, writer };
}

/** Counts the incomplete uploads of a user, up to `most`. */
export function countPartials(tx: Tx, ownerId: string, most: number): Promise<number> {
  return tx.partialUpload.count({ where: { ownerId }, take: most });
}
