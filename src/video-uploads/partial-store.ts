import type { Tx } from "../db/client.ts";

/** An object that holds some bytes of an upload. */
export type Piece = { readonly key: string; readonly sizeBytes: number; readonly sha256: string };
export type PartialUploadRow = {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string | null;
  readonly lengthBytes: number | null;
  readonly pieces: readonly Piece[];
};

export async function insertPartial(tx: Tx, { id, ownerId, name, lengthBytes }: Omit<PartialUploadRow, "pieces">): Promise<void> {
  await tx.partialUpload.create({ data: { id, ownerId, name, lengthBytes }, select: { id: true } });
}

export async function hasPartial(tx: Tx, ownerId: string, id: string): Promise<boolean> {
  return (await tx.partialUpload.count({ where: { id, ownerId } })) === 1;
}

/** The upload as it stands, whoever is at it. Null when there is none. */
export async function findPartial(tx: Tx, ownerId: string, id: string): Promise<PartialUploadRow | null> {
  const row = await tx.partialUpload.findFirst({ where: { id, ownerId } });
  return row === null ? null : partialUpload(row);
}

/** The upload, from now on for this writer alone: whoever held it before cannot add to it any more. Null when there is none. */
export async function takePartial(tx: Tx, ownerId: string, id: string, writer: string): Promise<PartialUploadRow | null> {
  const [row] = await tx.partialUpload.updateManyAndReturn({ where: { id, ownerId }, data: { writer } });
  return row === undefined ? null : partialUpload(row);
}

const partialUpload = ({ id, ownerId, name, lengthBytes, pieces }: Row): PartialUploadRow => ({
  id,
  ownerId,
  name,
  lengthBytes: lengthBytes === null ? null : Number(lengthBytes),
  // Prisma knows the column as JSON; nobody but this file writes it.
  pieces: pieces as unknown as Piece[],
});

type Row = NonNullable<Awaited<ReturnType<Tx["partialUpload"]["findFirst"]>>>;

/** Replaces the pieces; false when another writer has taken the upload. */
export async function setPieces(tx: Tx, id: string, writer: string, pieces: readonly Piece[]): Promise<boolean> {
  const { count } = await tx.partialUpload.updateMany({
    where: { id, writer },
    data: { pieces: pieces.map((it) => ({ ...it })) },
  });
  return count === 1;
}

/** Removes the row of an upload that is complete; false when another writer has taken it. */
export async function removeTaken(tx: Tx, id: string, writer: string): Promise<boolean> {
  const { count } = await tx.partialUpload.deleteMany({ where: { id, writer } });
  return count === 1;
}

export async function removePartial(tx: Tx, ownerId: string, id: string): Promise<boolean> {
  const { count } = await tx.partialUpload.deleteMany({ where: { id, ownerId } });
  return count === 1;
}

/** Removes some of the uploads that nobody has completed in time, and names them; the oldest first. */
export async function removeExpired(tx: Tx, ageSeconds: number, take: number): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    DELETE FROM partial_uploads WHERE id IN (
      SELECT id FROM partial_uploads WHERE created_at < now() - make_interval(secs => ${ageSeconds}::double precision)
      ORDER BY created_at LIMIT ${take})
    RETURNING id::text`;
  return rows.map(({ id }) => id);
}
