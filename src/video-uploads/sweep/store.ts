import { randomUUID } from "node:crypto";
import type { Db } from "../../database/client.ts";
import type { VideoUploadRow } from "../store.ts";

/** Why no upload uses an object. The last is a setting's doing; the others should be few. */
export type OrphanReason = "unknown_upload" | "other_attempt" | "original_not_kept";
export type Orphan = { readonly key: string; readonly reason: OrphanReason };

/** The time as the database has it, which every row of ours is written with. */
export async function clock(db: Db): Promise<Date> {
  const [row] = await db.$queryRaw<{ now: Date }[]>`SELECT clock_timestamp()::timestamptz(3) AS now`;
  return row!.now;
}

/** Records orphans, or that they are still there. */
export async function noteOrphans(db: Db, orphans: readonly Orphan[]): Promise<void> {
  // In order, so that two sweeps at once wait for each other and no more.
  await db.$executeRaw`
    INSERT INTO orphaned_objects (key, reason)
    SELECT * FROM unnest(${orphans.map((it) => it.key)}::text[], ${orphans.map((it) => it.reason)}::text[]) ORDER BY 1
    ON CONFLICT (key) DO UPDATE SET seen_at = clock_timestamp(), reason = excluded.reason`;
}

/** Forgets orphans that a sweep begun at `since` has not seen: they are gone, or in use again. */
export async function forgetUnseen(db: Db, since: Date): Promise<void> {
  await db.orphanedObject.deleteMany({ where: { seenAt: { lt: since } } });
}

export async function forgetOrphans(db: Db, keys: readonly string[]): Promise<void> {
  await db.orphanedObject.deleteMany({ where: { key: { in: [...keys] } } });
}

/** How many there are that no setting explains. */
export function countUnexplained(db: Db): Promise<number> {
  return db.orphanedObject.count({ where: { reason: { not: "original_not_kept" } } });
}

/** The keys after `after` that have been orphans for so long without a break, in their order. */
export async function findDue(db: Db, ageMs: number, after: string, take: number): Promise<string[]> {
  const rows = await db.$queryRaw<{ key: string }[]>`
    SELECT key FROM orphaned_objects WHERE first_seen_at <= clock_timestamp() - make_interval(secs => ${ageMs / 1_000}::double precision) AND key > ${after}
    ORDER BY key LIMIT ${take}`;
  return rows.map(({ key }) => key);
}

/** The result of a sweep, as the log and the command `store` show it. */
export type SweepOutcome = {
  /** Why nothing was removed; null when the sweep did its work. */
  readonly problem: string | null;
  readonly stored: number;
  readonly orphans: number;
};

export async function noteSweep(db: Db, { problem, stored, orphans }: SweepOutcome, isApprovalSpent: boolean): Promise<void> {
  await db.$executeRaw`
    UPDATE store_ties SET swept_at = clock_timestamp(), problem = ${problem}, stored_count = ${stored}, orphan_count = ${orphans},
      approved_count = CASE WHEN ${isApprovalSpent} THEN NULL ELSE approved_count END`;
}

/** How many orphans the operator has approved to be removed at once. */
export async function findApprovedCount(db: Db): Promise<number> {
  return (await db.storeTie.findFirstOrThrow()).approvedCount ?? 0;
}

export async function forgetAllOrphans(db: Db): Promise<void> {
  await db.orphanedObject.deleteMany();
}

export type UploadRow = Pick<VideoUploadRow, "id" | "objectKey" | "attempt" | "status">;

/** Others put things into buckets too, so what stands in the place of an id need not be one. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The uploads with these ids, unfinished or complete. In this order: an upload leaves the first table when it enters the second. */
export async function findUploadsOf(db: Db, ids: readonly string[]) {
  const where = { id: { in: [...new Set(ids)].filter((id) => UUID.test(id)) } };
  const partials = await db.partialUpload.findMany({ where, select: { id: true } });
  const uploads: UploadRow[] = await db.videoUpload.findMany({
    where,
    select: { id: true, objectKey: true, attempt: true, status: true },
  });
  return { partials, uploads };
}

/** Those of the ids that are the id of an upload. */
export async function findKnownIds(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { partials, uploads } = await findUploadsOf(db, ids);
  return new Set([...partials, ...uploads].map(({ id }) => id));
}

/** The id of this database, made when it is first asked for, and whether it was made in another one than we are in. */
export async function identityOf(db: Db): Promise<{ readonly databaseId: string; readonly isCopy: boolean }> {
  const madeIn = await placeOf(db);
  // Of two processes that start at once one makes it, and both read it.
  await db.$executeRaw`INSERT INTO store_ties (database_id, made_in) VALUES (${randomUUID()}::uuid, ${madeIn}) ON CONFLICT DO NOTHING`;
  const row = await db.storeTie.findFirstOrThrow();
  return { databaseId: row.databaseId, isCopy: row.madeIn !== madeIn };
}

/** Takes an id of its own for a copy of another database. */
export async function becomeAnother(db: Db): Promise<string> {
  const madeIn = await placeOf(db);
  await db.$executeRaw`UPDATE store_ties SET database_id = ${randomUUID()}::uuid, made_in = ${madeIn} WHERE made_in <> ${madeIn}`;
  return (await db.storeTie.findFirstOrThrow()).databaseId;
}

/** Which database of which cluster this is: what a dump that is restored elsewhere does not take along. */
async function placeOf(db: Db): Promise<string> {
  const [here] = await db.$queryRaw<{ oid: string; may_ask: boolean }[]>`
    SELECT oid::text, has_function_privilege('pg_control_system()', 'EXECUTE') AS may_ask FROM pg_database WHERE datname = current_database()`;
  const { oid, may_ask } = here!;
  if (!may_ask) return oid;
  const [cluster] = await db.$queryRaw<{ id: string }[]>`SELECT system_identifier::text AS id FROM pg_control_system()`;
  return `${cluster!.id}/${oid}`;
}
