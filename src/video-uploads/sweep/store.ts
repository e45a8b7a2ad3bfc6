import type { Db } from "../../database/client.ts";
import type { Orphan } from "./orphans.ts";

/** The time as the database has it, which every row of ours is written with. */
export async function clock(db: Db): Promise<Date> {
  const [row] = await db.$queryRaw<{ now: Date }[]>`SELECT clock_timestamp()::timestamptz(3) AS now`;
  return row!.now;
}

/** Writes orphans down, or that they are still there. */
export async function noteOrphans(db: Db, orphans: readonly Orphan[]): Promise<void> {
  // Sorted, so that two sweeps at once wait for each other and no more.
  const sorted = orphans.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  await db.$executeRaw`
    INSERT INTO orphaned_objects (key, reason) SELECT * FROM unnest(${sorted.map((it) => it.key)}::text[], ${sorted.map((it) => it.reason)}::text[])
    ON CONFLICT (key) DO UPDATE SET seen_at = clock_timestamp(), reason = excluded.reason`;
}

/** Forgets orphans that a sweep begun at `since` has not seen: they are gone, or somebody has a use for them again. */
export async function forgetUnseen(db: Db, since: Date): Promise<void> {
  await db.orphanedObject.deleteMany({ where: { seenAt: { lt: since } } });
}

export async function forgetOrphans(db: Db, keys: readonly string[]): Promise<void> {
  await db.orphanedObject.deleteMany({ where: { key: { in: [...keys] } } });
}

/** How many there are by no wish of the operator. */
export function countUnwished(db: Db): Promise<number> {
  return db.orphanedObject.count({ where: { reason: { not: "original_not_kept" } } });
}

/** The keys after `after` that have been orphans for so long without a break, in their order. */
export async function findDue(db: Db, ageMs: number, after: string, take: number): Promise<string[]> {
  const rows = await db.$queryRaw<{ key: string }[]>`
    SELECT key FROM orphaned_objects WHERE first_seen_at <= clock_timestamp() - make_interval(secs => ${ageMs / 1_000}::double precision) AND key > ${after}
    ORDER BY key LIMIT ${take}`;
  return rows.map(({ key }) => key);
}

/** What a sweep came to, as an operator is told: by the log, and by the command `store`. */
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
