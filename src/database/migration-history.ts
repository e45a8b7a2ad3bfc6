import type pg from "pg";
import { StartupError } from "../util/startup-error.ts";
import { sqlState } from "./database-failure.ts";

/** A folder of prisma/migrations. `checksum` is the one that Prisma stores in `_prisma_migrations`. */
export type Migration = { readonly name: string; readonly sql: string; readonly checksum: string };

export type HistoryRow = {
  readonly migration_name: string;
  readonly checksum: string;
  readonly finished: boolean;
  readonly contracts: boolean;
};

/** The first line of a baseline: the last migration that it replaces, and the release with that migration. */
const BASELINE = /^-- baseline: (\S+) of release (\S+)\n/;
/** The first line of a migration that removes something the previous release uses. It is also in `logs` of its record. */
const CONTRACTS = "-- contract:";
const TABLE_MISSING = "42P01";

// The table as Prisma creates it.
const CREATE_HISTORY = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL,
  checksum VARCHAR(64) NOT NULL,
  finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL,
  logs TEXT,
  rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  applied_steps_count INTEGER NOT NULL DEFAULT 0
)`;
// A finished migration counts even if an operator has set `rolled_back_at`, to hide it from release 1.0.0.
const READ = `SELECT migration_name, checksum, finished_at IS NOT NULL AS finished, coalesce(logs LIKE $1 || '%', false) AS contracts
  FROM _prisma_migrations WHERE rolled_back_at IS NULL OR finished_at IS NOT NULL`;
const START = "INSERT INTO _prisma_migrations (id, migration_name, checksum) VALUES (gen_random_uuid(), $1, $2)";
const OPEN = "migration_name = $1 AND finished_at IS NULL AND rolled_back_at IS NULL";
// As `prisma migrate resolve --applied` records it.
const APPLIED = `INSERT INTO _prisma_migrations (id, migration_name, checksum, finished_at, logs)
  VALUES (gen_random_uuid(), $1, $2, now(), '')`;
// In a transaction, now() is the time of its start.
const END = `UPDATE _prisma_migrations SET finished_at = clock_timestamp(), applied_steps_count = 1, logs = $2 WHERE ${OPEN}`;
const ROLL_BACK = `UPDATE _prisma_migrations SET rolled_back_at = now(), logs = coalesce($2, logs) WHERE ${OPEN}`;

/** The line about what a migration removes from the previous release; null if it only adds. */
export const contractOf = ({ sql }: Migration): string | null => (sql.startsWith(CONTRACTS) ? sql.split("\n", 1)[0]! : null);

/** The last migration that a baseline replaces, and the release with it; null for another migration. */
export function baselineOf({ sql }: Migration): { readonly last: string; readonly release: string } | null {
  const [, last, release] = BASELINE.exec(sql) ?? [];
  return last === undefined || release === undefined ? null : { last, release };
}

/** The migrations that have finished, or may be applied in part, as Prisma records its failures. */
export async function readHistory(client: pg.Client): Promise<HistoryRow[]> {
  try {
    return (await client.query<HistoryRow>(READ, [CONTRACTS])).rows;
  } catch (error) {
    if (sqlState(error) === TABLE_MISSING) return [];
    throw error;
  }
}

/** Creates the history table. Refuses a schema with tables but without a history, which belongs to another application. */
export async function createHistory(client: pg.Client): Promise<void> {
  const { rows } = await client.query("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()");
  if (rows.length > 0 && !rows.some(({ tablename }) => tablename === "_prisma_migrations"))
    throw new StartupError("The database has tables that this service did not create; give it a database of its own.");
  await client.query(CREATE_HISTORY);
}

export async function recordStart(client: pg.Client, { name, checksum }: Migration): Promise<void> {
  await client.query(START, [name, checksum]);
}

/** Records a migration that is applied already. */
export async function recordApplied(client: pg.Client, { name, checksum }: Migration): Promise<void> {
  await client.query(APPLIED, [name, checksum]);
}

export async function recordEnd(client: pg.Client, migration: Migration): Promise<void> {
  await client.query(END, [migration.name, contractOf(migration)]);
}

/** Records the failure of a migration that was rolled back. Prisma and older versions ignore such a record. */
export async function recordRollback(client: pg.Client, migration: Migration, reason: string): Promise<void> {
  await recordStart(client, migration);
  await client.query(ROLL_BACK, [migration.name, reason]);
}

/** Records that a failed migration was undone. Returns whether it had failed. */
export async function closeOpenRecord(client: pg.Client, name: string, reason: string | null = null): Promise<boolean> {
  return ((await client.query(ROLL_BACK, [name, reason])).rowCount ?? 0) > 0;
}
