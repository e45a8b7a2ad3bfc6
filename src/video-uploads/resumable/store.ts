import type { PartialUpload } from "#generated/prisma/client.ts";
import type { Tx } from "../../database/client.ts";
import type { RemovedRow } from "../store.ts";

/** An object with some bytes of an upload. */
export type Piece = { readonly key: string; readonly sizeBytes: number; readonly sha256: string };
/** An incomplete upload, with the number of bytes received and of pieces. */
export type PartialUploadRow = Omit<PartialUpload, "lengthBytes" | "offsetBytes"> & {
  readonly lengthBytes: number | null;
  readonly offsetBytes: number;
};
export type NewPartial = Pick<PartialUploadRow, "id" | "ownerId" | "name" | "lengthBytes">;

export async function insertPartial(tx: Tx, upload: NewPartial): Promise<void> {
  await tx.partialUpload.create({ data: upload });
}

/** An incomplete upload, or null. */
export async function findPartial(tx: Tx, ownerId: string, id: string): Promise<PartialUploadRow | null> {
  const row = await tx.partialUpload.findFirst({ where: { id, ownerId } });
  return row === null ? null : partialUpload(row);
}

/** Gives the upload to this writer alone, so that an earlier writer cannot add to it. Null if there is no such upload. */
export async function takePartial(tx: Tx, ownerId: string, id: string, writer: string): Promise<PartialUploadRow | null> {
  const [row] = await tx.partialUpload.updateManyAndReturn({ where: { id, ownerId }, data: { writer } });
  return row === undefined ? null : partialUpload(row);
}

const partialUpload = (row: PartialUpload): PartialUploadRow => ({
  ...row,
  lengthBytes: row.lengthBytes === null ? null : Number(row.lengthBytes),
  offsetBytes: Number(row.offsetBytes),
});

/** Adds a piece after the others, at a constant cost. False if another writer has taken the upload. */
export async function addPiece(tx: Tx, id: string, writer: string, { key, sizeBytes, sha256 }: Piece): Promise<boolean> {
  const added = await tx.$executeRaw`
    WITH taken AS (
      UPDATE partial_uploads SET offset_bytes = offset_bytes + ${sizeBytes}::bigint, piece_count = piece_count + 1
      WHERE id = ${id}::uuid AND writer = ${writer}::uuid RETURNING id, piece_count)
    INSERT INTO partial_pieces (upload_id, position, key, size_bytes, sha256)
    SELECT id, piece_count, ${key}, ${sizeBytes}::bigint, ${sha256} FROM taken`;
  return added === 1;
}

/** All pieces of an upload, in order. */
export async function findPieces(tx: Tx, id: string): Promise<Piece[]> {
  const rows = await tx.partialPiece.findMany({ where: { uploadId: id }, orderBy: { position: "asc" } });
  return rows.map(({ key, sizeBytes, sha256 }) => ({ key, sizeBytes: Number(sizeBytes), sha256 }));
}

/** Restores an upload to its state when the writer took it. False if another writer has taken it since. */
export async function takeBackPieces(tx: Tx, was: PartialUploadRow, writer: string): Promise<boolean> {
  const { count } = await tx.partialUpload.updateMany({
    where: { id: was.id, writer },
    data: { offsetBytes: was.offsetBytes, pieceCount: was.pieceCount },
  });
  if (count === 0) return false;
  await tx.partialPiece.deleteMany({ where: { uploadId: was.id, position: { gt: was.pieceCount } } });
  return true;
}

/** Counts the incomplete uploads of a user, up to `most`. */
export function countPartials(tx: Tx, ownerId: string, most: number): Promise<number> {
  return tx.partialUpload.count({ where: { ownerId }, take: most });
}

/** Removes the row of an upload, if this owner or this writer has it. Null if there is none. */
export async function removePartial(
  tx: Tx,
  id: string,
  holder: { readonly ownerId: string } | { readonly writer: string },
): Promise<RemovedRow | null> {
  const { ownerId, writer } = { ownerId: null, writer: null, ...holder };
  const [row] = await tx.$queryRaw<RemovedRow[]>`
    DELETE FROM partial_uploads WHERE id = ${id}::uuid AND (owner_id = ${ownerId}::uuid OR writer = ${writer}::uuid)
    RETURNING owner_id::text AS "ownerId", offset_bytes::float8 AS "sizeBytes"`;
  return row ?? null;
}

/** Removes some of the uploads that were not completed in time, oldest first, and returns what they were. */
export function removeExpired(tx: Tx, ageSeconds: number, take: number): Promise<(RemovedRow & { readonly id: string })[]> {
  return tx.$queryRaw`
    DELETE FROM partial_uploads WHERE id IN (
      SELECT id FROM partial_uploads WHERE created_at < now() - make_interval(secs => ${ageSeconds}::double precision)
      ORDER BY created_at LIMIT ${take})
    RETURNING id::text, owner_id::text AS "ownerId", offset_bytes::float8 AS "sizeBytes"`;
}
