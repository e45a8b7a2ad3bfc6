import { randomUUID } from "node:crypto";
import type { Prisma } from "#generated/prisma/client.ts";
import * as sql from "#generated/sql/video-uploads/objects.ts";
import type { Db } from "../../database/client.ts";
import { isUuid } from "../../util/uuid.ts";
import { findRetained } from "./retained-store.ts";
import { folderOf, uploadIdOf } from "./object-keys.ts";
import { findAllWhere } from "../store.ts";

export {
  findDue,
  findGcProblem,
  insertOrphans,
  readClock,
  recordGc,
  releaseLease,
  renewLease,
} from "#generated/sql/video-uploads/objects.ts";

/** Deletes the rows of matching orphans; without a condition, all. */
export async function forgetOrphans(db: Db, where: Prisma.OrphanedObjectWhereInput = {}): Promise<void> {
  await db.orphanedObject.deleteMany({ where });
}

/** Counts the orphans that are not originals which the settings don't keep. */
export function countUnexplained(db: Db): Promise<number> {
  return db.orphanedObject.count({ where: { reason: { not: "original_not_kept" } } });
}

/** The number of orphans that the operator allows one GC to delete. */
export async function findApprovedCount(db: Db): Promise<number> {
  return (await db.storeBinding.findFirstOrThrow()).approvedCount ?? 0;
}

/** The uploads with these ids. In a shared bucket, an id from a key of another program may be no UUID. */
export const findUploadsOf = (db: Db, ids: readonly string[]) =>
  findAllWhere(db, { id: { in: [...new Set(ids)].filter(isUuid) } });

/** The ids of uploads, and of deleted uploads with retained objects. */
export async function findKnownIds(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { partials, uploads } = await findUploadsOf(db, ids);
  const retained = await findRetained(db, ids.map(folderOf));
  return new Set([...[...partials, ...uploads].map(({ id }) => id), ...[...retained.keys()].map(uploadIdOf)]);
}

type Identity = { readonly databaseId: string; readonly isCopy: boolean };

/** The id of this database, and whether it comes from a copy of another database. Null without an id. */
export async function findIdentity(db: Db): Promise<Identity | null> {
  const row = await db.storeBinding.findFirst();
  return row && { databaseId: row.databaseId, isCopy: row.madeIn !== (await clusterAndDatabase(db)) };
}

/** The same, and creates the id on the first call. Of two concurrent calls, one inserts the row and both read it. */
export async function identityOf(db: Db): Promise<Identity> {
  await sql.insertIdentity(db, { databaseId: randomUUID(), madeIn: await clusterAndDatabase(db) });
  return (await findIdentity(db))!;
}

/** The id of this database. A copy of another database gets a new one. */
export async function ownDatabaseId(db: Db): Promise<string> {
  await sql.replaceIdentity(db, { databaseId: randomUUID(), madeIn: await clusterAndDatabase(db) });
  return (await identityOf(db)).databaseId;
}

/** Identifies this database and, if permitted, its cluster. The value changes if a dump is restored elsewhere. */
async function clusterAndDatabase(db: Db): Promise<string> {
  const { oid, mayAsk } = await sql.findDatabase(db);
  return mayAsk ? `${(await sql.findCluster(db)).id}/${oid}` : oid;
}
