import { randomUUID } from "node:crypto";
import type { Prisma } from "#generated/prisma/client.ts";
import * as sql from "#generated/sql/video-uploads/objects.ts";
import type { Db } from "../../database/client.ts";
import { isUuid } from "../../util/uuid.ts";
import { findKeptAmong } from "./kept-store.ts";
import { folderOf, uploadIdOf } from "./object-keys.ts";
import { findAllWhere } from "../store.ts";

export * from "#generated/sql/video-uploads/objects.ts";

/** Forgets those of the orphans that match; without a condition, all. */
export async function forgetOrphans(db: Db, where: Prisma.OrphanedObjectWhereInput = {}): Promise<void> {
  await db.orphanedObject.deleteMany({ where });
}

/** Counts the orphans that no setting explains. */
export function countUnexplained(db: Db): Promise<number> {
  return db.orphanedObject.count({ where: { reason: { not: "original_not_kept" } } });
}

/** The number of orphans that the operator allows one sweep to remove. */
export async function findApprovedCount(db: Db): Promise<number> {
  return (await db.storeTie.findFirstOrThrow()).approvedCount ?? 0;
}

/** The uploads with these ids. A shared bucket can hold objects of other programs, so the second segment of a key may not be an id. */
export const findUploadsOf = (db: Db, ids: readonly string[]) =>
  findAllWhere(db, { id: { in: [...new Set(ids)].filter(isUuid) } });

/** The ids that belong to an upload, or to a deleted one whose objects are kept. */
export async function findKnownIds(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { partials, uploads } = await findUploadsOf(db, ids);
  const kept = await findKeptAmong(db, ids.map(folderOf));
  return new Set([...[...partials, ...uploads].map(({ id }) => id), ...[...kept.keys()].map(uploadIdOf)]);
}

type Identity = { readonly databaseId: string; readonly isCopy: boolean };

/** The id of this database, and whether the row is a copy from another database. Null if the database has no id yet. */
export async function findIdentity(db: Db): Promise<Identity | null> {
  const row = await db.storeTie.findFirst();
  return row && { databaseId: row.databaseId, isCopy: row.madeIn !== (await placeOf(db)) };
}

/** The same, with an id that is created on the first call. If two processes start at once, one inserts the row and both read it. */
export async function identityOf(db: Db): Promise<Identity> {
  await sql.insertIdentity(db, { databaseId: randomUUID(), madeIn: await placeOf(db) });
  return (await findIdentity(db))!;
}

/** The id of this database, which a copy of another one gets here. */
export async function ownDatabaseId(db: Db): Promise<string> {
  await sql.replaceIdentity(db, { databaseId: randomUUID(), madeIn: await placeOf(db) });
  return (await identityOf(db)).databaseId;
}

/** Identifies this database and, if permitted, its cluster. A dump that is restored elsewhere gets another value. */
async function placeOf(db: Db): Promise<string> {
  const { oid, mayAsk } = await sql.findPlace(db);
  return mayAsk ? `${(await sql.findCluster(db)).id}/${oid}` : oid;
}
