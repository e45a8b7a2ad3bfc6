import { describe, expect, it } from "@jest/globals";
import { hazardsOf, splitIntoMigrations } from "../../scripts/migration-rules.ts";
import { readMigrations } from "../../src/database/migrate.ts";
import { indexBuiltBy } from "../../src/database/index-build.ts";
import { baselineOf, contractOf } from "../../src/database/migration-history.ts";
import { createTestDatabase, openSession } from "../support/database.ts";
import { prepare } from "../support/prepare.ts";
import { isOf, previousRelease } from "../support/previous-release.ts";
import { applyMigrations } from "./support/migrations.ts";

const isOfRelease = isOf(previousRelease());
const database = prepare(() => createTestDatabase({ isEmpty: true }));
const client = prepare(() => openSession(database.url));
const all = readMigrations();
const later = all.filter((it) => !isOfRelease(it));
type Column = { readonly table: string; readonly column: string; readonly type: string; readonly needed: boolean };
type Rule = { readonly table: string; readonly rule: string; readonly definition: string };

async function readSchema() {
  const { rows: columns } = await client.query<Column>(
    `SELECT c.relname AS table, a.attname AS column, format_type(a.atttypid, a.atttypmod) AS type,
            a.attnotnull AND a.atthasdef IS FALSE AND a.attidentity = '' AS needed
     FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND a.attnum > 0 AND NOT a.attisdropped`,
  );
  const { rows: rules } = await client.query<Rule>(
    `SELECT conrelid::regclass::text AS table, conname AS rule, pg_get_constraintdef(oid) AS definition FROM pg_constraint
     WHERE connamespace = 'public'::regnamespace AND contype IN ('c', 'f', 'p', 'u')
     UNION ALL
     SELECT indrelid::regclass::text, indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index
     WHERE indisunique AND indrelid::regclass::text IN (SELECT tablename FROM pg_tables WHERE schemaname = 'public')`,
  );
  return { columns, rules };
}

type Schema = Awaited<ReturnType<typeof readSchema>>;

/** What code that was written for the schema `before` can no longer do in `after`. */
function contractions(before: Schema, after: Schema): string[] {
  const tables = new Set(before.columns.map((it) => it.table));
  const at = ({ table, column }: Column) => `${table}.${column}`;
  const now = new Map(after.columns.map((it) => [at(it), it]));
  const then = new Map(before.columns.map((it) => [at(it), it]));
  const known = new Set(before.rules.map((it) => `${it.table} ${it.definition}`));
  return [
    ...before.columns.filter((it) => !now.has(at(it))).map((it) => `${at(it)} is gone`),
    ...before.columns.filter((it) => (now.get(at(it)) ?? it).type !== it.type).map((it) => `${at(it)} has another type`),
    ...after.columns
      .filter((it) => tables.has(it.table) && it.needed && then.get(at(it))?.needed !== true)
      .map((it) => `${at(it)} must have a value`),
    ...after.rules
      .filter((it) => tables.has(it.table) && !known.has(`${it.table} ${it.definition}`))
      .map((it) => `${it.table} has the new rule ${it.rule}`),
  ];
}

describe(`the migrations since release ${previousRelease().version}`, () => {
  it("delay no request of the version that runs at the same time", () => {
    expect(later.flatMap(({ name, sql }) => hazardsOf(sql).map((hazard) => ({ name, hazard })))).toEqual([]);
  });

  it("only add, so that its processes work while the database is migrated, unless one says why it takes something away", async () => {
    await applyMigrations(database.url, all.filter(isOfRelease));
    const before = await readSchema();
    expect(before.columns.length).toBeGreaterThan(50);
    await applyMigrations(database.url);
    const taken = contractions(before, await readSchema());
    // A column by its name, a rule by the name of its index or constraint. A rule that the previous release never breaks is
    // explained separately.
    const isExplained = (it: string) => {
      const rule = / has the new rule (.+)$/.exec(it)?.[1];
      const name = rule ?? it.split(/[. ]/)[1]!;
      return later.some(
        (one) => (contractOf(one) !== null || (rule !== undefined && one.sql.startsWith("-- rule: "))) && one.sql.includes(name),
      );
    };
    expect(taken.filter((it) => !isExplained(it))).toEqual([]);
  });

  it("are those after the last one of the release", () => {
    const { lastMigration } = previousRelease();
    expect(all.filter(isOfRelease).map((it) => baselineOf(it)?.last ?? it.name)).toContain(lastMigration);
  });
});

const COLUMN = `-- AlterTable\nALTER TABLE "users" ADD COLUMN     "deleted_at" TIMESTAMPTZ(3);\n`;
const INDEX = `-- CreateIndex\nCREATE INDEX "messages_sender_id_idx" ON "messages"("sender_id");\n`;

describe("a migration is refused that", () => {
  it.each([
    ["adds a column and builds an index", COLUMN + INDEX, /CREATE INDEX on messages, which exists/],
    ["builds an index with IF NOT EXISTS", "CREATE UNIQUE INDEX IF NOT EXISTS a ON ONLY posts (title)", /CREATE INDEX on posts/],
    ["builds an index beside something else", "CREATE INDEX CONCURRENTLY a ON posts (title); SELECT 1", /migration of its own/],
    ["makes a column NOT NULL", "ALTER TABLE posts ALTER COLUMN title SET NOT NULL", /reads all rows/],
    ["changes the type of a column", "ALTER TABLE posts ALTER COLUMN title TYPE integer", /writes all rows/],
    ["adds a random default", "ALTER TABLE posts ADD COLUMN tag uuid NOT NULL DEFAULT gen_random_uuid()", /writes all rows/],
    ["adds a computed column", "ALTER TABLE posts ADD COLUMN n int GENERATED ALWAYS AS (1) STORED", /writes all rows/],
    ["adds a numbered column", "ALTER TABLE posts ADD COLUMN n bigserial", /writes all rows/],
    ["adds a column with a check", "ALTER TABLE posts ADD COLUMN n int CHECK (n > 0)", /reads all rows/],
    ["adds a foreign key", "ALTER TABLE posts ADD CONSTRAINT a FOREIGN KEY (b) REFERENCES users(id)", /NOT VALID/],
    ["adds a check", `ALTER TABLE "posts" ADD CONSTRAINT "a" CHECK (title <> 'NOT VALID')`, /NOT VALID/],
    ["adds a unique constraint", "ALTER TABLE posts ADD CONSTRAINT a UNIQUE (title)", /builds an index/],
    [
      "validates what it has just added",
      `ALTER TABLE a ADD CHECK (b) NOT VALID; ALTER TABLE a VALIDATE CONSTRAINT c`,
      /takes time/,
    ],
    ["copies rows while a table is locked", "ALTER TABLE posts ADD COLUMN a int; UPDATE posts SET a = 1", /takes time/],
    ["locks two tables", "ALTER TABLE posts ADD COLUMN a int; ALTER TABLE users ADD COLUMN a int", /holds the others/],
    [
      "changes a table, and locks the target of a foreign key of a new one",
      "ALTER TABLE posts ADD COLUMN a int; CREATE TABLE b (id uuid REFERENCES users(id))",
      /^posts, users: .* holds the others/,
    ],
    [
      "changes a table, and creates a trigger on another",
      "ALTER TABLE posts ADD COLUMN a int; CREATE TRIGGER b AFTER INSERT ON users REFERENCING NEW TABLE AS c EXECUTE FUNCTION d()",
      /^posts, users: .* holds the others/,
    ],
    ["drops an index in a way that can't be repeated", "DROP INDEX CONCURRENTLY a", /say IF EXISTS/],
    ["runs a block while a table is locked", "ALTER TABLE posts ADD COLUMN a int; DO $$ BEGIN COMMIT; END $$", /takes time/],
    ["drops an index and changes a table", "DROP INDEX a; ALTER TABLE users ADD COLUMN a int", /holds the others/],
    ["commits", "ALTER TABLE posts ADD COLUMN a int; COMMIT", /opens the transaction/],
    ["sets a time-out", "SET LOCAL lock_timeout = 0; ALTER TABLE posts ADD COLUMN a int", /sets the time-outs/],
  ])("%s", (_what, sql, hazard) => {
    expect(hazardsOf(sql).join("\n")).toMatch(hazard);
  });
});

describe("a migration is accepted that", () => {
  it.each([
    ["builds one index", "CREATE INDEX CONCURRENTLY a ON posts (title); -- for a list; of titles"],
    [
      "creates tables with indexes and foreign keys",
      "CREATE TABLE a (id uuid); CREATE INDEX a_idx ON a (id); ALTER TABLE a ADD FOREIGN KEY (id) REFERENCES users(id); INSERT INTO a SELECT id FROM users",
    ],
    [
      "adds columns to one table",
      "ALTER TABLE posts ADD COLUMN a int, ADD COLUMN b numeric(9, 2) NOT NULL DEFAULT 0, ADD c date DEFAULT now()",
    ],
    ["adds a constraint for later", "ALTER TABLE posts ADD CONSTRAINT a CHECK (title <> '') NOT VALID"],
    ["validates a constraint", "ALTER TABLE posts VALIDATE CONSTRAINT a"],
    ["makes a constraint of an index", "ALTER TABLE posts ADD CONSTRAINT a UNIQUE USING INDEX b"],
    ["copies rows", "UPDATE posts SET title = 'ALTER TABLE a; COMMIT'"],
    ["copies rows in batches", "DO $$ BEGIN UPDATE posts SET title = ''; COMMIT; END $$"],
    ["drops an index", "DROP INDEX CONCURRENTLY IF EXISTS a"],
    [
      "references its own table",
      "ALTER TABLE posts ADD COLUMN a uuid; ALTER TABLE posts ADD FOREIGN KEY (a) REFERENCES posts(id) NOT VALID",
    ],
    [
      "creates a function",
      "CREATE FUNCTION a() RETURNS void LANGUAGE plpgsql AS $$ BEGIN UPDATE b SET c = 1; END $$; DROP INDEX d",
    ],
  ])("%s", (_what, sql) => {
    expect(hazardsOf(sql)).toEqual([]);
  });
});

it("a migration from the schema is split so that each part is accepted", () => {
  const table = `-- CreateTable\nCREATE TABLE "a" (\n    "id" UUID NOT NULL\n);\n\n-- CreateIndex\nCREATE INDEX "a_idx" ON "a"("id");\n\n`;
  const parts = splitIntoMigrations(`${table}${COLUMN}\n${INDEX}\n${INDEX.replace("CREATE INDEX", "CREATE UNIQUE INDEX")}`);
  expect(parts).toHaveLength(3);
  expect(parts[0]).toBe(table + COLUMN);
  expect(parts[1]).toBe(INDEX.replace("CREATE INDEX", "CREATE INDEX CONCURRENTLY"));
  for (const part of parts.slice(1)) expect(indexBuiltBy(part)).toBe('"messages_sender_id_idx"');
  expect(parts.flatMap(hazardsOf)).toEqual([]);
  expect(splitIntoMigrations(INDEX)).toHaveLength(1);
  expect(splitIntoMigrations(COLUMN)).toEqual([COLUMN]);
});
