import { hash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import pg from "pg";
import { StartupError } from "../startup-error.ts";
import { waitFor } from "../wait-for.ts";
import { reasonOf, sqlState } from "./database-failure.ts";
import { isDirect } from "./session.ts";

/** A folder of prisma/migrations. `checksum` is the one that Prisma stores in `_prisma_migrations`. */
export type Migration = { readonly name: string; readonly sql: string; readonly checksum: string };

type HistoryRow = {
  readonly migration_name: string;
  readonly checksum: string;
  readonly finished: boolean;
  readonly contracts: boolean;
};

const MIGRATIONS_DIR = join(import.meta.dirname, "../../prisma/migrations");
// The lock key of `prisma migrate`, so that the two never run at the same time.
const LOCK_KEY = 72_707_369;
const LOCK_TIMEOUT_MS = 300_000;
const CONNECT_TIMEOUT_MS = 5_000;
const TABLE_MISSING = "42P01";
/** That of a statement that can't run in a transaction, and that of a block that commits its batches. */
const NOT_IN_A_TRANSACTION = ["25001", "2D000"];

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
const RECORD_START = "INSERT INTO _prisma_migrations (id, migration_name, checksum) VALUES (gen_random_uuid(), $1, $2)";
const OPEN_RECORD = "migration_name = $1 AND finished_at IS NULL AND rolled_back_at IS NULL";
// In a transaction, now() is the time of its start.
const RECORD_END = `UPDATE _prisma_migrations SET finished_at = clock_timestamp(), applied_steps_count = 1, logs = $2 WHERE ${OPEN_RECORD}`;
const RECORD_FAILURE = `UPDATE _prisma_migrations SET logs = $2 WHERE ${OPEN_RECORD}`;
/** The first line of a migration that takes away what the previous release uses, and in `logs` of its record. */
const CONTRACTS = "-- contract:";
const RECORD_ROLLBACK = `UPDATE _prisma_migrations SET rolled_back_at = now() WHERE ${OPEN_RECORD}`;

/** Reads all migrations, oldest first. */
export function readMigrations(): Migration[] {
  const paths = globSync("*/migration.sql", { cwd: MIGRATIONS_DIR }).sort();
  return paths.map((path) => {
    const sql = readFileSync(join(MIGRATIONS_DIR, path), "utf8");
    return { name: dirname(path), sql, checksum: hash("sha256", sql) };
  });
}

/**
 * Applies the migrations that the database lacks, and returns their names. If there are none, it costs one query. Several
 * processes can call it at the same time: one applies the migrations, the others wait. Throws a StartupError if the
 * history of the database does not match the migrations of this version, or if a migration fails.
 */
export function applyMigrations(databaseUrl: string, migrations = readMigrations()): Promise<string[]> {
  return withConnection(databaseUrl, async (client) => {
    const found = await readHistory(client);
    if (missingFrom(found, migrations).length === 0 && misfitOf(found, migrations) === null) return [];
    await lock(client);
    // Another process may have applied them before it released the lock.
    const history = await readHistory(client);
    const misfit = misfitOf(history, migrations);
    if (misfit !== null) throw new StartupError(misfit);
    const missing = missingFrom(history, migrations);
    if (history.length === 0) await createHistory(client);
    for (const migration of missing) await apply(client, migration);
    return missing.map(({ name }) => name);
  });
}

/** Compares the history of a database with the migrations of this version, and changes nothing. */
export async function compareMigrations(client: pg.Client, migrations = readMigrations()) {
  const history = await readHistory(client);
  const missing = missingFrom(history, migrations);
  const newer = history.map((row) => row.migration_name).filter((name) => !migrations.some((it) => it.name === name));
  return { count: migrations.length, missing: missing.map(({ name }) => name), newer, misfit: misfitOf(history, migrations) };
}

/** Records that the operator has undone the effects of a failed migration, so that the next start applies it again. */
export async function markRolledBack(databaseUrl: string, name: string): Promise<void> {
  await withConnection(databaseUrl, async (client) => {
    const { rowCount } = await client.query(RECORD_ROLLBACK, [name]);
    if (rowCount === 0) throw new StartupError(`No migration ${name} has failed in this database.`);
  });
}

async function withConnection<T>(databaseUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: "plumbline migrations",
  });
  client.on("error", () => {});
  try {
    await client.connect();
    // Behind a pooler, each transaction may run in another session, so a session lock is lost or never released.
    if (!(await isDirect(client)))
      throw new StartupError(
        `The database at ${new URL(databaseUrl).host} is behind a pooler, so it cannot be migrated; set DIRECT_DATABASE_URL to the address of PostgreSQL itself.`,
      );
    // The time limits for requests must not end a migration.
    await client.query("SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0");
    return await work(client);
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`The database at ${new URL(databaseUrl).host} cannot be migrated: ${reasonOf(error)}.`, {
      cause: error,
    });
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * Takes a session lock, because some statements cannot run in a transaction. It polls, because CREATE INDEX CONCURRENTLY
 * waits for other sessions that are in a statement, and would deadlock with one that waits for this lock.
 */
async function lock(client: pg.Client): Promise<void> {
  const isOurs = await waitFor(async () => {
    const { rows } = await client.query<{ locked: boolean }>("SELECT pg_try_advisory_lock($1) AS locked", [LOCK_KEY]);
    return rows[0]?.locked === true;
  }, LOCK_TIMEOUT_MS);
  if (!isOurs) throw new StartupError(`Another process has been migrating this database for ${LOCK_TIMEOUT_MS / 1000} s.`);
}

async function readHistory(client: pg.Client): Promise<HistoryRow[]> {
  try {
    const { rows } = await client.query<HistoryRow>(
      `SELECT migration_name, checksum, finished_at IS NOT NULL AS finished, coalesce(logs LIKE $1 || '%', false) AS contracts
       FROM _prisma_migrations WHERE rolled_back_at IS NULL`,
      [CONTRACTS],
    );
    return rows;
  } catch (error) {
    if (sqlState(error) === TABLE_MISSING) return [];
    throw error;
  }
}

/** Creates the history table. Refuses a schema that has tables but no history, because another application owns them. */
async function createHistory(client: pg.Client): Promise<void> {
  const { rows } = await client.query("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()");
  if (rows.length > 0 && !rows.some(({ tablename }) => tablename === "_prisma_migrations"))
    throw new StartupError("The database has tables that this service did not create; give it a database of its own.");
  await client.query(CREATE_HISTORY);
}

/** Applies one migration in a transaction, or outside one if PostgreSQL requires that. */
async function apply(client: pg.Client, migration: Migration): Promise<void> {
  try {
    await client.query("BEGIN");
    await run(client, migration);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    if (NOT_IN_A_TRANSACTION.includes(sqlState(error) ?? ""))
      return run(client, migration).catch((outside: unknown) => fail(client, migration, outside));
    await recordStart(client, migration);
    await fail(client, migration, error);
  }
}

/** Inserts the record first: if this process dies outside a transaction, the next start reports the unfinished migration. */
async function run(client: pg.Client, migration: Migration): Promise<void> {
  await recordStart(client, migration);
  await client.query(migration.sql);
  await client.query(RECORD_END, [migration.name, contractOf(migration)]);
}

const recordStart = (client: pg.Client, { name, checksum }: Migration) => client.query(RECORD_START, [name, checksum]);

async function fail(client: pg.Client, { name }: Migration, error: unknown): Promise<never> {
  await client.query(RECORD_FAILURE, [name, reasonOf(error)]);
  throw new StartupError(`The migration ${name} failed: ${reasonOf(error)}. ${remedyFor(name)}`, { cause: error });
}

const remedyFor = (name: string) => `Correct the cause, then run: npm run migrate -- rolled-back ${name}`;

const missingFrom = (history: readonly HistoryRow[], migrations: readonly Migration[]) =>
  migrations.filter(({ name }) => !history.some((row) => row.migration_name === name));

/** The line that says what a migration takes away from the previous release, or null if it only adds. */
export const contractOf = ({ sql }: Migration): string | null => (sql.startsWith(CONTRACTS) ? sql.split("\n", 1)[0]! : null);

/**
 * Returns why the database does not match this version, as a message for the operator, or null if it matches. A later version
 * may have added something, because in a rollout, processes of both versions start.
 */
function misfitOf(history: readonly HistoryRow[], migrations: readonly Migration[]): string | null {
  const checksums = new Map(migrations.map((it) => [it.name, it.checksum]));
  const newest = migrations.at(-1)?.name ?? "";
  for (const { migration_name: name, checksum, finished, contracts } of history) {
    const isUnknown = !checksums.has(name);
    if (isUnknown && finished && !contracts && name > newest) continue;
    if (isUnknown)
      return `The database has had the migration ${name}, which this version does not know; start the newer version that added it.`;
    if (!finished) return `The migration ${name} has failed in this database. ${remedyFor(name)}`;
    if (checksum !== checksums.get(name))
      return `The migration ${name} was edited after this database had run it; restore the file, and make the change in a new migration.`;
  }
  return null;
}
