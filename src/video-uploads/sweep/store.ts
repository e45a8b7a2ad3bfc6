import { randomUUID } from "node:crypto";
import * as sql from "#generated/sql/video-uploads/sweep.ts";
import type { Db } from "../../database/client.ts";
import { isUuid } from "../../util/uuid.ts";
import { findKeptAmong } from "../kept-store.ts";
import { folderOf, uploadIdOf } from "../object-keys.ts";
import type { VideoUploadRow } from "../store.ts";

/** Why no upload uses an object. `original_not_kept` follows from a setting; the others should be rare. */
export type OrphanReason = "unknown_upload" | "other_attempt" | "original_not_kept";
export type Orphan = { readonly key: string; readonly reason: OrphanReason };

/** The clock of the database, which also sets the times in `orphaned_objects`. */
export const clock = async (db: Db): Promise<Date> => new Date((await sql.readClock(db)).now);

/** Records orphans, or that they still exist. */
export async function recordOrphans(db: Db, orphans: readonly Orphan[]): Promise<void> {
  await sql.insertOrphans(db, { keys: orphans.map((it) => it.key), reasons: orphans.map((it) => it.reason) });
}

/** Forgets orphans that a sweep begun at `since` has not seen: they were removed or are in use again. */
export async function forgetUnseen(db: Db, since: Date): Promise<void> {
  await db.orphanedObject.deleteMany({ where: { seenAt: { lt: since } } });
}

export async function forgetOrphans(db: Db, keys: readonly string[]): Promise<void> {
  await db.orphanedObject.deleteMany({ where: { key: { in: [...keys] } } });
}

/** Counts the orphans that no setting explains. */
export function countUnexplained(db: Db): Promise<number> {
  return db.orphanedObject.count({ where: { reason: { not: "original_not_kept" } } });
}

/** The keys after `after` that have been orphans for `ageMs` without a break, in order. */
export const findDue = async (db: Db, ageMs: number, after: string, limit: number): Promise<string[]> =>
  (await sql.findDue(db, { ageSeconds: ageMs / 1_000, after, limit })).map(({ key }) => key);

/** The result of a sweep, as the log and the command `store` show it. */
export type SweepOutcome = {
  /** Why nothing was removed; null if the sweep did its work. */
  readonly problem: string | null;
  readonly stored: number;
  readonly orphans: number;
};

export async function recordSweep(db: Db, { problem, stored, orphans }: SweepOutcome, isApprovalSpent: boolean): Promise<void> {
  await sql.recordOutcome(db, { problem, stored, orphans, isApprovalSpent });
}

/** Lets this sweep take its next step. Returns false if another sweep runs, or has begun because this one took too long. */
export const holdSweep = async (db: Db, sweeper: string): Promise<boolean> => (await sql.takeStep(db, { sweeper })) === 1;

/** Lets the next sweep begin. */
export async function releaseSweep(db: Db, sweeper: string): Promise<void> {
  await sql.releaseSweep(db, { sweeper });
}

export { findSweepProblem } from "#generated/sql/video-uploads/sweep.ts";

/** The number of orphans that the operator allows one sweep to remove. */
export async function findApprovedCount(db: Db): Promise<number> {
  return (await db.storeTie.findFirstOrThrow()).approvedCount ?? 0;
}

export async function forgetAllOrphans(db: Db): Promise<void> {
  await db.orphanedObject.deleteMany();
}

export type UploadRow = Pick<VideoUploadRow, "id" | "objectKey" | "attempt" | "status">;

/**
 * The uploads with these ids. A shared bucket can hold objects of other programs, so the second segment of a key may not be an
 * id. Reads in this order, because an upload leaves the first table when it enters the second.
 */
export async function findUploadsOf(db: Db, ids: readonly string[]) {
  const where = { id: { in: [...new Set(ids)].filter(isUuid) } };
  const partials = await db.partialUpload.findMany({ where, select: { id: true } });
  const uploads: UploadRow[] = await db.videoUpload.findMany({
    where,
    select: { id: true, objectKey: true, attempt: true, status: true },
  });
  return { partials, uploads };
}

/** The ids that belong to an upload, or to a deleted one whose objects are kept. */
export async function findKnownIds(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { partials, uploads } = await findUploadsOf(db, ids);
  const kept = await findKeptAmong(db, ids.map(folderOf));
  return new Set([...partials.map(({ id }) => id), ...uploads.map(({ id }) => id), ...[...kept.keys()].map(uploadIdOf)]);
}

/** The id of this database, created on the first call, and whether the row is a copy from another database. */
export async function identityOf(db: Db): Promise<{ readonly databaseId: string; readonly isCopy: boolean }> {
  const madeIn = await placeOf(db);
  // If two processes start at once, one inserts the row and both read it.
  await sql.insertIdentity(db, { databaseId: randomUUID(), madeIn });
  const row = await db.storeTie.findFirstOrThrow();
  return { databaseId: row.databaseId, isCopy: row.madeIn !== madeIn };
}

/** The same without creating an id: null if the database has none yet. */
export async function findIdentity(db: Db): Promise<{ readonly databaseId: string; readonly isCopy: boolean } | null> {
  const row = await db.storeTie.findFirst();
  return row === null ? null : { databaseId: row.databaseId, isCopy: row.madeIn !== (await placeOf(db)) };
}

/** Gives a new id to a copy of another database. */
export async function assignNewDatabaseId(db: Db): Promise<string> {
  const madeIn = await placeOf(db);
  await sql.replaceIdentity(db, { databaseId: randomUUID(), madeIn });
  return (await db.storeTie.findFirstOrThrow()).databaseId;
}

/** Identifies this database and, if permitted, its cluster. A dump that is restored elsewhere gets another value. */
async function placeOf(db: Db): Promise<string> {
  const { oid, mayAsk } = await sql.findPlace(db);
  return mayAsk ? `${(await sql.findCluster(db)).id}/${oid}` : oid;
}
