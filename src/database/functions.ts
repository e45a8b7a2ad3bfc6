import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { inTransaction, type MigrationSession } from "./migration-session.ts";

const SRC = join(import.meta.dirname, "..");
const FORM = /^CREATE OR REPLACE FUNCTION (\w+)\([^$]*\$\$(\n-- Edition (\d+)\n[^$]*)\$\$;\n$/m;

/** A function in the database. `body` is the text that PostgreSQL stores, with the number of its edition. */
export type DatabaseFunction = { readonly name: string; readonly body: string; readonly sql: string };

/** Reads the functions of all areas, each from `<name>.function.sql`. */
export function readFunctions(): DatabaseFunction[] {
  return globSync("**/*.function.sql", { cwd: SRC })
    .sort()
    .map((path) => parseFunction(path, readFileSync(join(SRC, path), "utf8")));
}

/** Parses the content of a file `<name>.function.sql`. */
export function parseFunction(path: string, sql: string): DatabaseFunction {
  const [, name, body] = FORM.exec(sql) ?? [];
  if (name === undefined || body === undefined) throw new Error(`${path} does not have the form of a function.`);
  return { name, body, sql };
}

/** The edition of a body; 0 for another text. */
export const editionOf = (body: string) => Number(/^\n-- Edition (\d+)\n/.exec(body)?.[1] ?? 0);
const READ = `SELECT proname AS name, prosrc AS body FROM pg_proc JOIN pg_namespace n ON n.oid = pronamespace
  WHERE nspname = current_schema() AND proname = ANY ($1)`;

/** The functions that a database lacks, or has with another text. A later edition belongs to a newer version, and stays. */
export async function outdatedFunctions(client: pg.Client, functions = readFunctions()): Promise<DatabaseFunction[]> {
  const { rows } = await client.query<{ name: string; body: string }>(READ, [functions.map((it) => it.name)]);
  const stored = new Map(rows.map((it) => [it.name, it.body]));
  return functions.filter(({ name, body }) => {
    const current = stored.get(name) ?? "";
    return current !== body && editionOf(current) <= editionOf(body);
  });
}

/** Creates or replaces the changed functions, after the migrations, and returns their names. */
export async function applyFunctions(session: MigrationSession, functions = readFunctions()): Promise<string[]> {
  const { client, lock } = session;
  if ((await outdatedFunctions(client, functions)).length === 0) return [];
  await lock();
  // Another process may have applied them before it released the lock.
  const outdated = await outdatedFunctions(client, functions);
  await inTransaction(session, "The change of functions", async () => {
    for (const { sql } of outdated) await client.query(sql);
  });
  return outdated.map(({ name }) => name);
}
