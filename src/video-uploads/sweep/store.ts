import { randomUUID } from "node:crypto";
import type { Db } from "../../database/client.ts";
import { rowStatement } from "../../database/old-statement.ts";
import { isUuid } from "../../util/uuid.ts";
import { findKeptAmong } from "../kept-store.ts";
import { folderOf, uploadIdOf } from "../object-keys.ts";
import type { VideoUploadRow } from "../store.ts";

/** Why no upload uses an object. `original_not_kept` follows from a setting; the others should be rare. */
export type OrphanReason = "unknown_upload" | "other_attempt" | "original_not_kept";
export type Orphan = { readonly key: string; readonly reason: OrphanReason };

/** The clock of the database, which also sets the times in `orphaned_objects`. */
export async function clock(db: Db): Promise<Date> {
  const [row] = await db.$queryRaw<{ now: Date }[]>`SELECT clock_timestamp()::timestamptz(3) AS now`;
  return row!.now;
}

/** Records orphans, or that they still exist. */
export async function recordOrphans(db: Db, orphans: readonly Orphan[]): Promise<void> {
  // In the order of the keys, so that two concurrent sweeps cannot deadlock.
  await db.$executeRaw`
    INSERT INTO orphaned_objects (key, reason)
    SELECT * FROM unnest(${orphans.map((it) => it.key)}::text[], ${orphans.map((it) => it.reason)}::text[]) ORDER BY 1
    ON CONFLICT (key) DO UPDATE SET seen_at = clock_timestamp(), reason = excluded.reason`;
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
export async function findDue(db: Db, ageMs: number, after: string, take: number): Promise<string[]> {
  const rows = await db.$queryRaw<{ key: string }[]>`
    SELECT key FROM orphaned_objects WHERE first_seen_at <= clock_timestamp() - make_interval(secs => ${ageMs / 1_000}::double precision) AND key > ${after}
    ORDER BY key LIMIT ${take}`;
  return rows.map(({ key }) => key);
}

/** The result of a sweep, as the log and the command `store` show it. */
export type SweepOutcome = {
  /** Why nothing was removed; null if the sweep did its work. */
  readonly problem: string | null;
  readonly stored: number;
  readonly orphans: number;
};

export async function recordSweep(db: Db, { problem, stored, orphans }: SweepOutcome, isApprovalSpent: boolean): Promise<void> {
  await db.$executeRaw`
    UPDATE store_ties SET swept_at = clock_timestamp(), problem = ${problem}, stored_count = ${stored}, orphan_count = ${orphans},
      approved_count = CASE WHEN ${isApprovalSpent} THEN NULL ELSE approved_count END`;
}

/** How long a sweep can take for one step. If it dies, no other one begins before. */
const STEP_MAX_SECONDS = 600;

/** Lets this sweep take its next step. Returns false if another sweep runs, or has begun because this one took too long. */
export async function holdSweep(db: Db, sweeper: string): Promise<boolean> {
  const held = await db.$executeRaw`
    UPDATE store_ties SET sweeper = ${sweeper}::uuid, sweeper_until = clock_timestamp() + make_interval(secs => ${STEP_MAX_SECONDS})
    WHERE sweeper = ${sweeper}::uuid OR sweeper_until IS NULL OR sweeper_until < clock_timestamp()`;
  return held === 1;
}

/** Lets the next sweep begin. */
export async function releaseSweep(db: Db, sweeper: string): Promise<void> {
  await db.$executeRaw`UPDATE store_ties SET sweeper = NULL, sweeper_until = NULL WHERE sweeper = ${sweeper}::uuid`;
}

/** Why the last sweep removed nothing; null if it did its work. */
export const findSweepProblem = rowStatement({
  name: "find_sweep_problem",
  takes: [],
  gives: { problem: "text?" },
  text: "SELECT problem FROM store_ties",
});

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
  await db.$executeRaw`INSERT INTO store_ties (database_id, made_in) VALUES (${randomUUID()}::uuid, ${madeIn}) ON CONFLICT DO NOTHING`;
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
  await db.$executeRaw`UPDATE store_ties SET database_id = ${randomUUID()}::uuid, made_in = ${madeIn} WHERE made_in <> ${madeIn}`;
  return (await db.storeTie.findFirstOrThrow()).databaseId;
}

/** Identifies this database and, if permitted, its cluster. A dump that is restored elsewhere gets another value. */
async function placeOf(db: Db): Promise<string> {
  const [here] = await db.$queryRaw<{ oid: string; may_ask: boolean }[]>`
    SELECT oid::text, has_function_privilege('pg_control_system()', 'EXECUTE') AS may_ask FROM pg_database WHERE datname = current_database()`;
  const { oid, may_ask } = here!;
  if (!may_ask) return oid;
  const [cluster] = await db.$queryRaw<{ id: string }[]>`SELECT system_identifier::text AS id FROM pg_control_system()`;
  return `${cluster!.id}/${oid}`;
}
