import { hash, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "@jest/globals";
import { schemaDrift } from "../../scripts/schema-drift.ts";
import { withScratchSchema } from "../../scripts/scratch-schema.ts";
import { withSchemaEngine } from "../../scripts/schema-engine.ts";
import { compareMigrations, markRolledBack, readMigrations } from "../../src/database/migrate.ts";
import { baselineOf, contractOf, createHistory, recordApplied, type Migration } from "../../src/database/migration-history.ts";
import { StartupError } from "../../src/util/startup-error.ts";
import { createTestDatabase, openSession } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { hold } from "../support/locks.ts";
import { prepareForEach } from "../support/prepare.ts";
import type { MigrationOptions } from "../../src/database/migration-session.ts";
import { applyMigrations } from "./support/migrations.ts";

const names = readMigrations().map((it) => it.name);

const database = prepareForEach(createTestDatabase);
const client = prepareForEach(() => openSession(database.url));
const emptyDatabase = () => client.query("DROP SCHEMA public, pgboss CASCADE; CREATE SCHEMA public");
const apply = (...more: readonly [migrations?: Migration[], options?: MigrationOptions]) =>
  applyMigrations(database.url, ...more);

function migration(of: string, sql: string): Migration {
  return { name: `29990101000000_${of}`, sql, checksum: hash("sha256", sql) };
}

/** All migrations of this version, and one more. */
function withNext(next: Migration): Migration[] {
  return [...readMigrations(), next];
}

/** The migrations in the form that Prisma's schema engine takes. */
function toPrisma(migrations: readonly Migration[]) {
  const lockFile = new URL("../../prisma/migrations/migration_lock.toml", import.meta.url);
  return {
    migrationsList: {
      baseDir: "prisma/migrations",
      lockfile: { path: "migration_lock.toml", content: readFileSync(lockFile, "utf8") },
      shadowDbInitScript: "",
      migrationDirectories: migrations.map((it) => ({
        path: it.name,
        migrationFile: { path: "migration.sql", content: { tag: "ok" as const, value: it.sql } },
      })),
    },
    filters: { externalTables: [], externalEnums: [] },
  };
}

/** `prisma migrate deploy`. */
const applyByPrisma = (migrations: readonly Migration[]) =>
  withSchemaEngine(database.url, async (engine) => (await engine.applyMigrations(toPrisma(migrations))).appliedMigrationNames);

/** `prisma migrate status`. */
const statusByPrisma = (migrations: readonly Migration[]) =>
  withSchemaEngine(database.url, (engine) =>
    engine.diagnoseMigrationHistory({ ...toPrisma(migrations), optInToShadowDatabase: false }),
  );

/** The columns and rows of the history, without ids and timestamps. */
async function history() {
  const { rows: columns } = await client.query(
    `SELECT column_name, data_type, character_maximum_length, is_nullable, column_default
     FROM information_schema.columns WHERE table_name = '_prisma_migrations' ORDER BY ordinal_position`,
  );
  const { rows } = await client.query(
    `SELECT migration_name, checksum, length(id) AS id, logs, applied_steps_count, rolled_back_at, finished_at >= started_at AS ordered
     FROM _prisma_migrations ORDER BY migration_name`,
  );
  return { columns, rows };
}

async function exists(table: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>("SELECT to_regclass($1) IS NOT NULL AS found", [table]);
  return rows[0]!.found;
}

/** What can't start must fail with a sentence for the operator. */
const expectRefusal = (attempt: Promise<unknown>, sentence: string | RegExp) =>
  expect(attempt).rejects.toMatchObject({ name: "StartupError", message: expect.stringMatching(sentence) });

describe("the migrations", () => {
  beforeEach(emptyDatabase);

  it("create exactly the schema of schema.prisma, and what it can't express", async () => {
    expect(await withScratchSchema(schemaDrift)).toBe("");
    expect(await apply()).toEqual(names);
    const { rows } = await client.query<{ rule: string }>(
      "SELECT conname AS rule FROM pg_constraint WHERE contype = 'c' AND connamespace = 'public'::regnamespace ORDER BY conname COLLATE \"C\"",
    );
    expect(rows.map((it) => it.rule)).toEqual([
      "members_role_check",
      "messages_sequence_check",
      "video_uploads_percent_check",
      "video_uploads_status_check",
      "webhook_deliveries_status_check",
    ]);
    const unlogged = await client.query("SELECT relname FROM pg_class WHERE relkind = 'r' AND relpersistence = 'u'");
    expect(unlogged.rows).toEqual([{ relname: "rate_limits" }]);
  });

  it("are applied once if several processes start at the same time, and all of them succeed", async () => {
    const applied = await Promise.all(Array.from({ length: 5 }, () => apply()));
    expect(applied.filter((it) => it.length > 0)).toEqual([names]);
    expect(await apply()).toEqual([]);
  });

  it("reject a database with tables of another program with a one-sentence message, which doesn't change", async () => {
    await client.query("CREATE TABLE invoices ()");
    await expectRefusal(apply(), "The database has tables that this service did not create");
    expect(await exists("_prisma_migrations")).toBe(false);
  });

  it("count the storage of each user with every insert, change and delete", async () => {
    await apply();
    const [ada, yuki] = [randomUUID(), randomUUID()];
    await client.query("INSERT INTO users (id, display_name) VALUES ($1, 'Ada'), ($2, 'Yuki')", [ada, yuki]);
    const store = (owner: string, count: number) =>
      client.query(
        `INSERT INTO video_uploads (id, owner_id, object_key, size_bytes, sha256)
         SELECT gen_random_uuid(), $1, 'a key', 5000000000, repeat('0', 64) FROM generate_series(1, $2)`,
        [owner, count],
      );
    const used = async () => {
      const { rows } = await client.query<{ user_id: string; size_bytes: string }>(
        "SELECT user_id, size_bytes FROM storage_usage",
      );
      return Object.fromEntries(rows.map((it) => [it.user_id === ada ? "ada" : "yuki", Number(it.size_bytes) / 5e9]));
    };
    await store(ada, 3);
    await client.query("UPDATE video_uploads SET result_bytes = 1e10 WHERE id = (SELECT id FROM video_uploads LIMIT 1)");
    expect(await used()).toEqual({ ada: 5 });
    await client.query("UPDATE video_uploads SET result_bytes = 0");
    expect(await used()).toEqual({ ada: 3 });
    await store(ada, 10_000);
    await store(yuki, 2);
    expect(await used()).toEqual({ ada: 10_003, yuki: 2 });
    await client.query("DELETE FROM video_uploads WHERE id IN (SELECT id FROM video_uploads WHERE owner_id = $1 LIMIT 10000)", [
      ada,
    ]);
    await client.query("DELETE FROM video_uploads WHERE owner_id = $1", [yuki]);
    expect(await used()).toEqual({ ada: 3, yuki: 0 });
    await client.query("DELETE FROM users WHERE id = $1", [yuki]);
    expect(await used()).toEqual({ ada: 3 });
  });
});

describe("the engine of Prisma and the service", () => {
  beforeEach(emptyDatabase);

  it("write the same history, so that neither has anything to do after the other", async () => {
    const all = readMigrations();
    await apply();
    const ours = await history();
    expect(await statusByPrisma(all)).toMatchObject({
      history: null,
      failedMigrationNames: [],
      editedMigrationNames: [],
      hasMigrationsTable: true,
    });
    expect(await applyByPrisma(all)).toEqual([]);

    await client.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    expect(await applyByPrisma(all)).toEqual(names);
    expect(await apply()).toEqual([]);
    // The service also records which migrations take something away from the previous release.
    expect(ours.rows.map((it) => it.logs)).toEqual(all.map(contractOf));
    expect(await history()).toEqual({ ...ours, rows: ours.rows.map((it) => ({ ...it, logs: null })) });
  });

  it("continue each other's migrations", async () => {
    const all = readMigrations();
    expect(await applyByPrisma(all.slice(0, 2))).toEqual(names.slice(0, 2));
    expect(await apply(all.slice(0, 4))).toEqual(names.slice(2, 4));
    expect(await applyByPrisma(all)).toEqual(names.slice(4));
    expect(await apply()).toEqual([]);
  });

  it("wait for each other", async () => {
    // The engine waits for its lock in a statement, and CREATE INDEX CONCURRENTLY waits for that statement: that would be a deadlock.
    const all = readMigrations().filter(({ sql }) => !sql.includes("CONCURRENTLY"));
    const applied = await Promise.all([apply(all), applyByPrisma(all)]);
    expect(applied.flat()).toEqual(all.map((it) => it.name));
  });

  it("agree on which migrations have failed and which were rolled back", async () => {
    const failing = migration("failing", "SELECT 1 / 0");
    await expect(apply(withNext(failing))).rejects.toThrow("division by zero");
    expect(await statusByPrisma(withNext(failing))).toMatchObject({ failedMigrationNames: [] });

    await expect(applyByPrisma(withNext(failing))).rejects.toThrow("division by zero");
    await expect(apply(withNext(failing))).rejects.toThrow(`The migration ${failing.name} has failed`);
    await markRolledBack(database.url, failing.name);
    expect(await statusByPrisma(withNext(failing))).toMatchObject({ failedMigrationNames: [] });
    await expect(apply(withNext(failing))).rejects.toThrow("division by zero");
  });
});

describe("the baseline", () => {
  beforeEach(emptyDatabase);

  const [baseline, ...later] = readMigrations() as [Migration, ...Migration[]];
  const { last, release } = baselineOf(baseline)!;
  /** A history that ends with this migration, without its tables. */
  const past = async (...ends: readonly string[]) => {
    await createHistory(client);
    for (const it of ends) await recordApplied(client, { name: it, sql: "", checksum: "0".repeat(64) });
  };

  it("is not applied to a database that has had the last migration that it stands for, only recorded, as Prisma does it", async () => {
    await past("20261121000000_init", last);
    expect(await apply([baseline])).toEqual([]);
    expect(await exists("users")).toBe(false);
    const { rows } = await history();
    await client.query("DELETE FROM _prisma_migrations WHERE migration_name = $1", [baseline.name]);
    const { migrationsList } = toPrisma([baseline]);
    await withSchemaEngine(database.url, (engine) =>
      engine.markMigrationApplied({ migrationsList, migrationName: baseline.name }),
    );
    expect((await history()).rows).toEqual(rows);
    expect(await apply([baseline])).toEqual([]);
    expect(await applyByPrisma([baseline])).toEqual([]);
  });

  it("leaves the migrations after it to be applied, once by several processes", async () => {
    await apply([baseline]);
    await client.query("UPDATE _prisma_migrations SET migration_name = $1", [last]);
    const applied = await Promise.all(Array.from({ length: 3 }, () => apply()));
    expect(applied.filter((it) => it.length > 0)).toEqual([later.map((it) => it.name)]);
    expect((await compareMigrations(client)).newer).toEqual([]);
  });

  it.each([
    ["an earlier one", "20261124200003_actors_only_for_1_0_0"],
    ["the first one", "20261121000000_init"],
  ])(
    "is refused for a database whose last migration is %s: the sentence names the release to start first",
    async (_what, end) => {
      await past(end);
      const before = await history();
      await expectRefusal(apply(), `The database is older than release ${release}; start that release first`);
      expect(await history()).toEqual(before);
      expect(await exists("users")).toBe(false);
    },
  );
});

/** Applies all migrations and `next`, and ends the connection or the statement while PostgreSQL runs `statement`. */
async function dieDuring(next: Migration, statement: string, end = "pg_terminate_backend"): Promise<void> {
  const applying = apply(withNext(next)).catch((error: unknown) => error);
  await eventually(`the statement ${statement}`, async () => {
    const { rowCount } = await client.query(
      `SELECT ${end}(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'active' AND query LIKE '%' || $1 || '%'`,
      [statement],
    );
    return (rowCount ?? 0) > 0;
  });
  expect(await applying).toBeInstanceOf(StartupError);
}

/** Another session that writes to posts, and one that reads users, until it is released or the scope ends. */
const writer = () => hold(database.url, "LOCK TABLE posts IN ROW EXCLUSIVE MODE");
const reader = () => hold(database.url, "SELECT FROM users LIMIT 1");

/** What is recorded about a migration that is not finished. */
async function failures({ name: of }: Migration) {
  const { rows } = await client.query<{ logs: string; undone: boolean }>(
    "SELECT logs, rolled_back_at IS NOT NULL AS undone FROM _prisma_migrations WHERE migration_name = $1 AND finished_at IS NULL",
    [of],
  );
  return rows;
}

/** Whether an index is valid; null if there is none. */
async function isValid(index: string): Promise<boolean | null> {
  const { rows } = await client.query<{ valid: boolean }>(
    "SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)",
    [index],
  );
  return rows[0]?.valid ?? null;
}

describe("a migration", () => {
  it("can contain semicolons in functions, strings and comments, and can run outside a transaction", async () => {
    const body = "$$ BEGIN PERFORM 1; RETURN 'a;b'; END $$";
    const next = migration("function", `-- one; two\nCREATE FUNCTION two() RETURNS text LANGUAGE plpgsql AS ${body};`);
    await apply(withNext(next));
    await expect(client.query("SELECT two()")).resolves.toMatchObject({ rows: [{ two: "a;b" }] });
    const index = {
      ...migration("index", "CREATE INDEX CONCURRENTLY posts_title ON posts (title)"),
      name: "29990102000000_index",
    };
    await apply([...withNext(next), index]);
    expect(await exists("posts_title")).toBe(true);
  });

  it("that dies with its process in a transaction is done again by the next start, while the previous version can start", async () => {
    const inTransaction = migration("sleeping", "CREATE TABLE half_done (); SELECT pg_sleep(60)");
    await dieDuring(inTransaction, "pg_sleep");
    expect(await apply()).toEqual([]);
    expect(await exists("half_done")).toBe(false);
  });

  // IF NOT EXISTS alone would take the invalid index for a good one.
  const BUILD = "-- For lists.\nCREATE INDEX CONCURRENTLY IF NOT EXISTS posts_title ON posts (title);\n";
  it.each([
    ["DROP INDEX", "DROP INDEX CONCURRENTLY IF EXISTS posts_title", "pg_terminate_backend"],
    ["CREATE INDEX", BUILD, "pg_cancel_backend"],
    ["CREATE INDEX", BUILD, "pg_terminate_backend"],
  ])(
    "that dies outside one, in %s, is done again by the next start, while the previous version can start",
    async (statement, sql, end) => {
      const [next, builds] = [migration("outside", sql), statement === "CREATE INDEX"];
      if (!builds) await client.query("CREATE INDEX posts_title ON posts (title)");
      {
        await using _writer = await writer();
        await dieDuring(next, statement, end);
        expect(await isValid("posts_title")).toBe(false);
        expect(await apply()).toEqual([]);
      }
      const reports: string[] = [];
      expect(await apply(withNext(next), { report: (it) => void reports.push(it) })).toEqual([next.name]);
      expect(await isValid("posts_title")).toBe(builds ? true : null);
      const isReported = expect.stringContaining("posts_title is invalid, because its build was interrupted");
      expect(reports).toEqual(builds ? [isReported] : []);
      expect(await apply(withNext(next))).toEqual([]);
    },
  );

  it("that commits its batches keeps them if it fails, and is repeated by the next start, while the previous version can start", async () => {
    await client.query("CREATE TABLE batches (n int PRIMARY KEY); CREATE TABLE done (n int PRIMARY KEY)");
    await client.query("INSERT INTO batches VALUES (1), (2), (0), (3)");
    const backfill = migration(
      "backfill",
      `DO $$ DECLARE batch int; BEGIN
         FOR batch IN SELECT n FROM batches WHERE n NOT IN (SELECT n FROM done) LOOP
           INSERT INTO done VALUES (batch + 0 / batch);
           COMMIT;
         END LOOP;
       END $$`,
    );
    await expect(apply(withNext(backfill))).rejects.toThrow(
      `The migration ${backfill.name} failed: division by zero. It can be repeated, so the previous release can run;`,
    );
    expect((await client.query("SELECT n FROM done ORDER BY n")).rows).toEqual([{ n: 1 }, { n: 2 }]);
    expect(await failures(backfill)).toEqual([{ logs: "division by zero", undone: true }]);
    expect(await apply()).toEqual([]);
    await client.query("DELETE FROM batches WHERE n = 0");
    expect(await apply(withNext(backfill))).toEqual([backfill.name]);
    expect((await client.query("SELECT n FROM done ORDER BY n")).rows).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  });

  it.each([
    ["leaves nothing behind", "CREATE TABLE half_done (); SELECT 1 / 0;", "division by zero"],
    ["builds an index", "CREATE UNIQUE INDEX CONCURRENTLY half_done ON posts (title)", "could not create unique index"],
  ])(
    "that %s if it fails is recorded as rolled back with the reason: the previous version starts, and this one tries again",
    async (_what, sql, reason) => {
      await client.query(
        "INSERT INTO users (id, display_name) VALUES (gen_random_uuid(), 'Ada'); INSERT INTO posts (id, author_id, title, body) SELECT gen_random_uuid(), id, 'Twice', '' FROM users, generate_series(1, 2)",
      );
      const failing = migration("failing", sql);
      await expectRefusal(apply(withNext(failing)), `The migration ${failing.name} failed: ${reason}`);
      expect(await exists("half_done")).toBe(false);
      expect(await failures(failing)).toEqual([{ logs: expect.stringContaining(reason), undone: true }]);
      expect(await apply()).toEqual([]);
      await client.query("DELETE FROM posts");
      const corrected = migration("failing", sql.replace("SELECT 1 / 0;", ""));
      expect(await apply(withNext(corrected))).toEqual([failing.name]);
      expect(await exists("half_done")).toBe(true);
    },
  );

  it("that builds an index is tried again if PostgreSQL ends it because of a deadlock, as with the engine of Prisma", async () => {
    const next = migration("index", "CREATE INDEX CONCURRENTLY posts_title ON posts (title)");
    const reports: string[] = [];
    // The engine waits for the lock of migrations in a statement, and the build waits for the end of that statement.
    await using engine = await openSession(database.url);
    await using writing = await writer();
    const applying = apply(withNext(next), { report: (it) => void reports.push(it) });
    await eventually("an unfinished index", async () => (await isValid("posts_title")) === false);
    await engine.query("SET deadlock_timeout = '1h'");
    const waiting = engine.query("SELECT pg_advisory_lock(72707369)").catch((error: unknown) => error);
    await eventually("a statement that waits for the migration", async () => {
      const { rowCount } = await client.query("SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted");
      return (rowCount ?? 0) > 0;
    });
    await writing.release();
    await eventually("a second attempt", () => reports.length > 0);
    await client.query("SELECT pg_cancel_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted");
    expect(String(await waiting)).toContain("canceling statement");
    await expect(applying).resolves.toEqual([next.name]);
    expect(await isValid("posts_title")).toBe(true);
  });

  it("that builds an index finds one that an operator has built in advance, or that Prisma has left unfinished", async () => {
    const next = migration("index", "CREATE INDEX CONCURRENTLY posts_title ON posts (title)");
    await client.query("CREATE INDEX posts_title ON posts (title)");
    await client.query("INSERT INTO _prisma_migrations (id, migration_name, checksum) VALUES (gen_random_uuid(), $1, $2)", [
      next.name,
      next.checksum,
    ]);
    expect(await apply(withNext(next))).toEqual([next.name]);
    expect(await statusByPrisma(withNext(next))).toMatchObject({ history: null, failedMigrationNames: [] });
  });

  it("stops after a timeout, and has changed nothing", async () => {
    const next = migration("column", "CREATE TABLE half_done (); ALTER TABLE users ADD COLUMN motto text");
    await using _reader = await reader();
    await expect(apply(withNext(next), { giveUpAfterMs: 0 })).rejects.toThrow(
      new RegExp(
        `^The migration ${next.name} failed: it could not lock its tables, which are in use by session \\d+ \\(test holder`,
      ),
    );
    expect(await exists("half_done")).toBe(false);
    expect(await failures(next)).toMatchObject([{ undone: true }]);
  });
});

describe("a database", () => {
  it("to which a later version has added something starts this version too, as a rollout needs it", async () => {
    const newer = migration("added", "CREATE TABLE of_tomorrow ()");
    await apply(withNext(newer));
    expect(await apply()).toEqual([]);
    expect(await exists("of_tomorrow")).toBe(true);
    // Nothing that this version lacks is left out, either.
    const lacking = { ...migration("lacking", "CREATE TABLE of_today ()"), name: "29980101000000_lacking" };
    expect(await apply([...readMigrations(), lacking])).toEqual([lacking.name]);
    expect(await exists("of_today")).toBe(true);
  });

  it.each([
    ["takes something away", migration("removed", "-- contract: no process uses it\nDROP TABLE rate_limits")],
    ["is of another branch", { ...migration("added", "CREATE TABLE of_yesterday ()"), name: "20200101000000_added" }],
  ])("with a migration that %s is rejected with a one-sentence message", async (_what, unknown) => {
    await apply([...readMigrations(), unknown].sort((a, b) => (a.name < b.name ? -1 : 1)));
    await expectRefusal(apply(), `has had the migration ${unknown.name}, which this version does not know`);
  });

  it("with a migration that was edited later is rejected, unless the migration names the checksum of the earlier edition", async () => {
    const earlier = migration("edited", "CREATE TABLE before ()");
    await apply(withNext(earlier));
    await expectRefusal(
      apply(withNext(migration("edited", "CREATE TABLE after ()"))),
      "was edited after this database had run it",
    );
    const later = migration("edited", `-- ${earlier.checksum}\nCREATE TABLE after ()`);
    expect(await apply(withNext(later))).toEqual([]);
  });

  it("that doesn't respond is rejected with a one-sentence message", async () => {
    await expectRefusal(
      applyMigrations("postgresql://unknown@127.0.0.1:1/nothing"),
      /^The database at 127\.0\.0\.1:1 cannot be migrated: .*ECONNREFUSED.*\.$/,
    );
  });
});
