import { hash, randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import pg from "pg";
import { schemaDrift } from "../../scripts/schema-drift.ts";
import { applyMigrations, markRolledBack } from "../../src/db/migrate.ts";
import { readMigrations, type Migration } from "../../src/db/migrations-folder.ts";
import { StartupError } from "../../src/startup-error.ts";
import { administer, withDatabase } from "../support/database.ts";

const serverUrl = process.env["TEST_SERVER_URL"]!;
const names = readMigrations().map((it) => it.name);

let name: string;
let url: string;
let client: pg.Client;

beforeEach(async () => {
  name = `test_${randomUUID().replaceAll("-", "")}`;
  await administer(serverUrl, `CREATE DATABASE ${name}`);
  url = withDatabase(serverUrl, name);
  client = new pg.Client({ connectionString: url });
  await client.connect();
});

afterEach(async () => {
  await client.end();
  await administer(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`);
});

function migration(of: string, sql: string): Migration {
  return { name: `29990101000000_${of}`, sql, checksum: hash("sha256", sql) };
}

/** Everything we know, and one more. */
function withNext(next: Migration): Migration[] {
  return [...readMigrations(), next];
}

async function exists(table: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>("SELECT to_regclass($1) IS NOT NULL AS found", [table]);
  return rows[0]!.found;
}

describe("The migrations", () => {
  it("lead to the schema, with nothing missing and nothing too much", async () => {
    expect(await schemaDrift()).toBe("");
  });

  it("are applied once", async () => {
    await expect(applyMigrations(url)).resolves.toEqual(names);
    await expect(applyMigrations(url)).resolves.toEqual([]);
  });

  it("are applied by one of several processes that start at once, and all of them succeed", async () => {
    const applied = await Promise.all(Array.from({ length: 5 }, () => applyMigrations(url)));
    expect(applied.filter((it) => it.length > 0)).toEqual([names]);
  });

  it("keep out of the tables what the vocabularies do not know", async () => {
    await applyMigrations(url);
    const { rows } = await client.query<{ rule: string }>(
      "SELECT conname AS rule FROM pg_constraint WHERE contype = 'c' AND connamespace = 'public'::regnamespace ORDER BY conname COLLATE \"C\"",
    );
    expect(rows.map((it) => it.rule)).toEqual([
      "members_role_check",
      "messages_sequence_check",
      "video_uploads_percent_check",
      "video_uploads_status_check",
    ]);
  });

  it("make the rate limits a table that no request waits for", async () => {
    await applyMigrations(url);
    const { rows } = await client.query("SELECT relpersistence FROM pg_class WHERE relname = 'rate_limits'");
    expect(rows).toEqual([{ relpersistence: "u" }]);
  });
});

describe("A migration", () => {
  it("may hold semicolons in functions, strings and comments", async () => {
    const next = migration(
      "function",
      `-- one; two
      CREATE FUNCTION two() RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM 1; RETURN 'a;b'; END $$;`,
    );
    await applyMigrations(url, withNext(next));
    await expect(client.query("SELECT two()")).resolves.toMatchObject({ rows: [{ two: "a;b" }] });
  });

  it("may be a statement that runs in no transaction", async () => {
    await applyMigrations(url, withNext(migration("index", "CREATE INDEX CONCURRENTLY posts_title ON posts (title)")));
    expect(await exists("posts_title")).toBe(true);
  });

  it("that fails leaves nothing behind, is named with the reason, and is tried again once that is said", async () => {
    const failing = migration("failing", "CREATE TABLE half_done (); SELECT 1 / 0;");
    const attempt = applyMigrations(url, withNext(failing));
    await expect(attempt).rejects.toThrow(StartupError);
    await expect(attempt).rejects.toThrow(`The migration ${failing.name} failed: division by zero.`);
    expect(await exists("half_done")).toBe(false);
    await expect(applyMigrations(url, withNext(failing))).rejects.toThrow(
      `The migration ${failing.name} has failed in this database.`,
    );
    await markRolledBack(url, failing.name);
    await expect(applyMigrations(url, withNext(migration("failing", "CREATE TABLE half_done ()")))).resolves.toEqual([
      failing.name,
    ]);
  });
});

describe("A database", () => {
  it("that a newer version has migrated is refused in a sentence", async () => {
    const newer = migration("newer", "CREATE TABLE newer ()");
    await applyMigrations(url, withNext(newer));
    const attempt = applyMigrations(url);
    await expect(attempt).rejects.toThrow(StartupError);
    await expect(attempt).rejects.toThrow(`has had the migration ${newer.name}, which this version does not know`);
  });

  it("that has run a migration which was edited since is refused in a sentence", async () => {
    await applyMigrations(url, withNext(migration("edited", "CREATE TABLE before ()")));
    const attempt = applyMigrations(url, withNext(migration("edited", "CREATE TABLE after ()")));
    await expect(attempt).rejects.toThrow(StartupError);
    await expect(attempt).rejects.toThrow("was edited after this database had run it");
  });

  it("that does not answer is refused in a sentence", async () => {
    const attempt = applyMigrations("postgresql://nobody@127.0.0.1:1/nothing");
    await expect(attempt).rejects.toThrow(StartupError);
    await expect(attempt).rejects.toThrow(/^The database at 127\.0\.0\.1:1 cannot be migrated: .*ECONNREFUSED.*\.$/);
  });
});
