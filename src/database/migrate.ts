import pg from "pg";
import { StartupError } from "../startup-error.ts";
import { migrationList, NO_FILTER, readMigrations, type Migration } from "./migrations-folder.ts";
import { withSchemaEngine } from "./schema-engine.ts";
import { isDirect } from "./session.ts";
import { waitFor } from "../wait-for.ts";

type HistoryRow = { readonly migration_name: string; readonly checksum: string; readonly finished: boolean };

// Any number will do, as long as nobody else locks with it; Prisma's own is 72707369.
const LOCK_KEY = 470_129_358;
const LOCK_TIMEOUT_MS = 300_000;
const CONNECT_TIMEOUT_MS = 5_000;
const TABLE_MISSING = "42P01";

/**
 * Brings the database to the newest migration and returns the names of those applied now. When nothing is to do, that
 * costs one query. Any number of processes may do it at once: one applies, the others wait. Throws a StartupError that
 * says in a sentence why the database and this version do not fit.
 */
export async function applyMigrations(databaseUrl: string, migrations = readMigrations()): Promise<string[]> {
  return withConnection(databaseUrl, async (client) => {
    if (isCurrent(await readHistory(client), migrations)) return [];
    await lock(client);
    // Whoever held the lock before us may have done our work, and only now is an unfinished migration a failed one.
    const history = await readHistory(client);
    refuseMisfit(history, migrations);
    if (isCurrent(history, migrations)) return [];
    try {
      const { appliedMigrationNames } = await withSchemaEngine(databaseUrl, (engine) =>
        engine.applyMigrations({ migrationsList: migrationList(migrations), filters: NO_FILTER }),
      );
      return appliedMigrationNames;
    } catch (error) {
      // The engine does not say which one it was; the database does.
      const failed = (await readHistory(client)).find((row) => !row.finished);
      if (failed === undefined) throw error;
      throw new StartupError(`The migration ${failed.migration_name} failed: ${plainReason(error)}. ${remedyFor(failed)}`, {
        cause: error,
      });
    }
  });
}

/**
 * A lock of the session rather than of a transaction, as some statements refuse to run beside one; and asked for again
 * and again, because CREATE INDEX CONCURRENTLY waits for every session that waits in a statement.
 */
async function lock(client: pg.Client): Promise<void> {
  const isOurs = await waitFor(async () => {
    const { rows } = await client.query<{ locked: boolean }>("SELECT pg_try_advisory_lock($1) AS locked", [LOCK_KEY]);
    return rows[0]?.locked === true;
  }, LOCK_TIMEOUT_MS);
  if (!isOurs) throw new StartupError(`Another process has been migrating this database for ${LOCK_TIMEOUT_MS / 1000} s.`);
}

/** Tells the database that what a failed migration had left was put right by hand, so that it is tried again next time. */
export async function markRolledBack(databaseUrl: string, migrationName: string): Promise<void> {
  await withConnection(databaseUrl, () =>
    withSchemaEngine(databaseUrl, (engine) => engine.markMigrationRolledBack({ migrationName })),
  );
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
    if (!(await isDirect(client))) throw new StartupError(behindPooler(databaseUrl));
    // What is set for the sessions of requests must not end a migration.
    await client.query("SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0");
    return await work(client);
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`The database at ${new URL(databaseUrl).host} cannot be migrated: ${plainReason(error)}.`, {
      cause: error,
    });
  } finally {
    await client.end().catch(() => {});
  }
}

/** A lock of a session is lost, or never given back, where the session is another one in the next transaction. */
const behindPooler = (databaseUrl: string) =>
  `The database at ${new URL(databaseUrl).host} is behind a pooler, through which it cannot be migrated; set DIRECT_DATABASE_URL to the address of PostgreSQL itself.`;

async function readHistory(client: pg.Client): Promise<HistoryRow[]> {
  try {
    const { rows } = await client.query<HistoryRow>(
      "SELECT migration_name, checksum, finished_at IS NOT NULL AS finished FROM _prisma_migrations WHERE rolled_back_at IS NULL",
    );
    return rows;
  } catch (error) {
    if ((error as { code?: unknown }).code === TABLE_MISSING) return [];
    throw error;
  }
}

function isCurrent(history: readonly HistoryRow[], migrations: readonly Migration[]): boolean {
  return (
    history.length === migrations.length && history.every((row) => row.finished && checksumOf(row, migrations) === row.checksum)
  );
}

function refuseMisfit(history: readonly HistoryRow[], migrations: readonly Migration[]): void {
  for (const row of history) {
    const name = row.migration_name;
    const checksum = checksumOf(row, migrations);
    if (checksum === undefined)
      throw new StartupError(
        `The database has had the migration ${name}, which this version does not know; start the newer version that brought it.`,
      );
    if (!row.finished) throw new StartupError(`The migration ${name} has failed in this database. ${remedyFor(row)}`);
    if (checksum !== row.checksum)
      throw new StartupError(
        `The migration ${name} was edited after this database had run it; take the edit back and make a new migration of it.`,
      );
  }
}

function remedyFor(failed: HistoryRow): string {
  return `Correct the cause, then run: npm run migrate -- rolled-back ${failed.migration_name}`;
}

function checksumOf(row: HistoryRow, migrations: readonly Migration[]): string | undefined {
  return migrations.find((it) => it.name === row.migration_name)?.checksum;
}

/** The engine's messages begin with its layers and end with a back-trace, and pg's of several addresses are empty. */
function plainReason(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  const [text = ""] = (message || code || "no answer").split(/\n +\d+: /);
  return text
    .replace(/\s+/g, " ")
    .replace(/^.*?ERROR: /, "")
    .trim()
    .replace(/\.$/, "");
}
