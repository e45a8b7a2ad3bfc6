// Generated: do not edit, run `npm run generate`. From src/video-uploads/objects/store.sql.

import { affectedRows, exactlyOne, many, one } from "../../../src/database/statement.ts";

export type ReadClockRow = {
  readonly now: string;
};
/** The clock of the database, which also sets the times in `orphaned_objects`. */
export const readClock = exactlyOne<void, ReadClockRow>({
  name: "read_clock",
  text: `SELECT clock_timestamp()::timestamptz(3) AS "now!"`,
  values: () => [],
  columns: ["timestamptz"],
  row: (it) => ({ now: it[0] }) as ReadClockRow,
});

export type InsertOrphansParameters = {
  readonly keys: readonly string[];
  readonly reasons: readonly string[];
};
/** Records orphans, or that they still exist. The order of the keys keeps two runs at the same time from a deadlock. */
export const insertOrphans = affectedRows<InsertOrphansParameters>({
  name: "insert_orphans",
  text: `INSERT INTO orphaned_objects (key, reason)
SELECT * FROM unnest($1::text[], $2::text[]) ORDER BY 1
ON CONFLICT (key) DO UPDATE SET seen_at = clock_timestamp(), reason = excluded.reason`,
  values: (it) => [it.keys, it.reasons],
});

export type FindDueParameters = {
  readonly ageSeconds: number;
  readonly after: string;
  readonly limit: number;
};
export type FindDueRow = {
  readonly key: string;
};
/** The keys that have been orphans for some time without a break, in order. */
export const findDue = many<FindDueParameters, FindDueRow>({
  name: "find_due",
  text: `SELECT key FROM orphaned_objects
WHERE first_seen_at <= clock_timestamp() - make_interval(secs => $1) AND key > $2
ORDER BY key LIMIT $3`,
  values: (it) => [it.ageSeconds, it.after, it.limit],
  columns: ["varchar"],
  row: (it) => ({ key: it[0] }) as FindDueRow,
});

export type RecordGcParameters = {
  readonly problem: string | null;
  readonly stored: number;
  readonly orphans: number;
  readonly isApprovalSpent: boolean;
};
/** Records the result of a garbage collection for the log and the command `store`. `problem` is the reason if it removed nothing. */
export const recordGc = affectedRows<RecordGcParameters>({
  name: "record_gc",
  text: `UPDATE store_ties SET swept_at = clock_timestamp(), problem = $1, stored_count = $2, orphan_count = $3,
  approved_count = CASE WHEN $4::boolean THEN NULL ELSE approved_count END`,
  values: (it) => [it.problem, it.stored, it.orphans, it.isApprovalSpent],
});

export type RenewLeaseParameters = {
  readonly sweeper: string;
};
/** Gives this garbage collection a lease of ten minutes for its next step. 0 if another one has the lease. */
export const renewLease = affectedRows<RenewLeaseParameters>({
  name: "renew_lease",
  text: `UPDATE store_ties SET sweeper = $1, sweeper_until = clock_timestamp() + interval '10 minutes'
WHERE sweeper = $1 OR sweeper_until IS NULL OR sweeper_until < clock_timestamp()`,
  values: (it) => [it.sweeper],
});

export type ReleaseLeaseParameters = {
  readonly sweeper: string;
};
/** Lets the next garbage collection begin. */
export const releaseLease = affectedRows<ReleaseLeaseParameters>({
  name: "release_lease",
  text: `UPDATE store_ties SET sweeper = NULL, sweeper_until = NULL WHERE sweeper = $1`,
  values: (it) => [it.sweeper],
});

export type FindGcProblemRow = {
  readonly problem: string | null;
};
/** The reason if the last garbage collection removed nothing; otherwise null. */
export const findGcProblem = one<void, FindGcProblemRow>({
  name: "find_gc_problem",
  text: `SELECT problem FROM store_ties`,
  values: () => [],
  columns: ["varchar"],
  row: (it) => ({ problem: it[0] }) as FindGcProblemRow,
});

export type InsertIdentityParameters = {
  readonly databaseId: string;
  readonly madeIn: string;
};
export const insertIdentity = affectedRows<InsertIdentityParameters>({
  name: "insert_identity",
  text: `INSERT INTO store_ties (database_id, made_in) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
  values: (it) => [it.databaseId, it.madeIn],
});

export type ReplaceIdentityParameters = {
  readonly databaseId: string;
  readonly madeIn: string;
};
export const replaceIdentity = affectedRows<ReplaceIdentityParameters>({
  name: "replace_identity",
  text: `UPDATE store_ties SET database_id = $1, made_in = $2 WHERE made_in <> $2`,
  values: (it) => [it.databaseId, it.madeIn],
});

export type FindDatabaseRow = {
  readonly oid: string;
  readonly mayAsk: boolean;
};
export const findDatabase = exactlyOne<void, FindDatabaseRow>({
  name: "find_database",
  text: `SELECT oid::text AS "oid!", has_function_privilege('pg_control_system()', 'EXECUTE') AS "may_ask!" FROM pg_database
WHERE datname = current_database()`,
  values: () => [],
  columns: ["text", "bool"],
  row: (it) => ({ oid: it[0], mayAsk: it[1] }) as FindDatabaseRow,
});

export type FindClusterRow = {
  readonly id: string;
};
export const findCluster = exactlyOne<void, FindClusterRow>({
  name: "find_cluster",
  text: `SELECT system_identifier::text AS "id!" FROM pg_control_system()`,
  values: () => [],
  columns: ["text"],
  row: (it) => ({ id: it[0] }) as FindClusterRow,
});
