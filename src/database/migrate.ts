import { hash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type pg from "pg";
import { StartupError } from "../util/startup-error.ts";
import { reasonOf, sqlState } from "./database-failure.ts";
import { buildIndex, indexBuiltBy } from "./index-build.ts";
import {
  baselineOf,
  closeOpenRecord,
  createHistory,
  readHistory,
  recordApplied,
  recordEnd,
  recordRollback,
  recordStart,
  type HistoryRow,
  type Migration,
} from "./migration-history.ts";
import { inTransaction, retryOnLockConflict, withMigrationSession, type MigrationSession } from "./migration-session.ts";

const MIGRATIONS_DIR = join(import.meta.dirname, "../../prisma/migrations");
/** SQLSTATEs of a statement that can't run in a transaction, and of a block that commits its batches. */
const NOT_IN_A_TRANSACTION = ["25001", "2D000"];

/** Reads all migrations, oldest first. */
export function readMigrations(): Migration[] {
  const paths = globSync("*/migration.sql", { cwd: MIGRATIONS_DIR }).sort();
  return paths.map((path) => {
    const sql = readFileSync(join(MIGRATIONS_DIR, path), "utf8");
    return { name: dirname(path), sql, checksum: hash("sha256", sql) };
  });
}

/**
 * Applies the missing migrations, and returns their names. Without any, it costs one query. Concurrent processes wait for the one that
 * migrates. Throws a StartupError if the history is incompatible with this version, or if a migration fails.
 */
export async function applyMissing(session: MigrationSession, migrations = readMigrations()): Promise<string[]> {
  const { client, lock } = session;
  const found = await readHistory(client);
  if (missingFrom(found, migrations).length === 0 && incompatibilityOf(found, migrations) === null) return [];
  await lock();
  // Another process may have applied them before it released the lock.
  const history = await readHistory(client);
  const incompatibility = incompatibilityOf(history, migrations);
  if (incompatibility !== null) throw new StartupError(incompatibility);
  const missing = missingFrom(history, migrations);
  if (history.length === 0) await createHistory(client);
  const isInHistory = (it: Migration) => hasApplied(history, baselineOf(it)?.last);
  for (const migration of missing) await (isInHistory(migration) ? recordApplied(client, migration) : apply(session, migration));
  return missing.filter((it) => !isInHistory(it)).map(({ name }) => name);
}

/** Compares the history of a database with the migrations of this version. Changes nothing. */
export async function compareMigrations(client: pg.Client, migrations = readMigrations()) {
  const history = await readHistory(client);
  const missing = missingFrom(history, migrations);
  const first = migrations[0]?.name ?? "";
  const unknown = history.map((row) => row.migration_name).filter((name) => !migrations.some((it) => it.name === name));
  const newer = unknown.filter((name) => name > first);
  return {
    count: migrations.length,
    missing: missing.map(({ name }) => name),
    newer,
    incompatibility: incompatibilityOf(history, migrations),
  };
}

/** Records that the operator has undone the effects of a failed migration, so that the next start applies it again. */
export async function markRolledBack(databaseUrl: string, name: string): Promise<void> {
  await withMigrationSession(databaseUrl, {}, async ({ client }) => {
    if (!(await closeOpenRecord(client, name))) throw new StartupError(`No migration ${name} has failed in this database.`);
  });
}

/**
 * Applies one migration: builds its index, or runs it in a transaction, or outside one if PostgreSQL requires that. Outside a transaction,
 * it is recorded at its end, so that the next start repeats an interrupted one.
 */
async function apply(session: MigrationSession, migration: Migration): Promise<void> {
  const { client } = session;
  const { name, sql } = migration;
  const what = `The migration ${name}`;
  const index = indexBuiltBy(sql);
  const run = () => client.query(sql);
  const record = async (work?: () => Promise<unknown>) => {
    await recordStart(client, migration);
    await work?.();
    await recordEnd(client, migration);
  };
  try {
    if (index === null) return await inTransaction(session, what, () => record(run));
    await closeOpenRecord(client, name, "The build was interrupted, and done again.");
    await retryOnLockConflict(session, what, () => buildIndex(session, index, sql));
    await inTransaction(session, what, record);
  } catch (error) {
    if (!NOT_IN_A_TRANSACTION.includes(sqlState(error) ?? ""))
      throw await failed(client, migration, error, "has changed nothing");
    try {
      await retryOnLockConflict(session, what, async () => void (await run()));
      await inTransaction(session, what, record);
    } catch (outside) {
      throw await failed(client, migration, outside, "can be repeated");
    }
  }
}

/** Records a failure so that the previous release can start, and this one can try again. */
async function failed(client: pg.Client, migration: Migration, error: unknown, state: string): Promise<StartupError> {
  await recordRollback(client, migration, reasonOf(error));
  return new StartupError(
    `The migration ${migration.name} failed: ${reasonOf(error)}. It ${state}, so the previous release can run; correct the cause, and start again.`,
    { cause: error },
  );
}

const remedyFor = (name: string) =>
  `Undo what it has left behind, then run: npm run -s plumbline -- database retry-migration ${name}`;

const hasApplied = (history: readonly HistoryRow[], name: string | undefined) =>
  history.some((row) => row.migration_name === name && row.finished);

const missingFrom = (history: readonly HistoryRow[], migrations: readonly Migration[]) =>
  migrations.filter(({ name }) => !hasApplied(history, name));

/**
 * The incompatibility of the database with this version, as a message for the operator; null if there is none. Additions of a later version
 * are compatible, because during a rollout processes of both versions start. The baseline replaces all older migrations.
 */
function incompatibilityOf(history: readonly HistoryRow[], migrations: readonly Migration[]): string | null {
  const known = new Map(migrations.map((it) => [it.name, it]));
  const newest = migrations.at(-1)?.name ?? "";
  const [first] = migrations;
  const baseline = first === undefined ? null : baselineOf(first);
  const isOlder = (name: string) => baseline !== null && name < first!.name;
  const hasBaseline = hasApplied(history, baseline?.last);
  if (!hasBaseline && !hasApplied(history, first?.name) && history.some((it) => isOlder(it.migration_name)))
    return `The database is older than release ${baseline!.release}; start that release first, which migrates it, and then this version.`;
  for (const { migration_name: name, checksum, finished, contracts } of history) {
    const migration = known.get(name);
    if (migration === undefined) {
      if (finished && !contracts && name > newest) continue;
      if (hasBaseline && isOlder(name)) continue;
      return `The database has had the migration ${name}, which this version does not know; start the newer version that added it.`;
    }
    // A failed index build can be repeated.
    if (!finished && indexBuiltBy(migration.sql) === null)
      return `The migration ${name} has failed in this database. ${remedyFor(name)}`;
    // A migration can name the checksum of an earlier edition with the same effect.
    if (finished && checksum !== migration.checksum && !migration.sql.includes(checksum))
      return `The migration ${name} was edited after this database had run it; restore the file, and make the change in a new migration.`;
  }
  return null;
}
