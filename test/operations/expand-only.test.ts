import { describe, expect, it } from "@jest/globals";
import { readMigrations } from "../../src/database/migrate.ts";
import { baselineOf, contractOf } from "../../src/database/migration-history.ts";
import { createTestDatabase, openSession } from "../support/database.ts";
import { prepare } from "../support/prepare.ts";
import { applyMigrations } from "./support/migrations.ts";
import { isOf, previousRelease } from "../support/previous-release.ts";

const database = prepare(() => createTestDatabase({ isEmpty: true }));
const client = prepare(() => openSession(database.url));
const isOfRelease = isOf(previousRelease());
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
