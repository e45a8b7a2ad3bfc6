import { hash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { MigrationList } from "@prisma/schema-engine-wasm/schema_engine_bg";

/** Where the schema and its migrations are. */
export const PRISMA_DIR = join(import.meta.dirname, "../../prisma");
const MIGRATIONS_DIR = join(PRISMA_DIR, "migrations");
const SCRIPT = "migration.sql";
const LOCK_FILE = "migration_lock.toml";

/** One folder of prisma/migrations; `checksum` is as Prisma writes it into `_prisma_migrations`. */
export type Migration = { readonly name: string; readonly sql: string; readonly checksum: string };

/** All migrations, the oldest first. */
export function readMigrations(): Migration[] {
  const names = readdirSync(MIGRATIONS_DIR)
    .filter((name) => existsSync(join(MIGRATIONS_DIR, name, SCRIPT)))
    .sort();
  return names.map((name) => {
    const sql = readFileSync(join(MIGRATIONS_DIR, name, SCRIPT), "utf8");
    return { name, sql, checksum: hash("sha256", sql) };
  });
}

/** The same in the words of the schema engine. */
export function migrationList(migrations: readonly Migration[]): MigrationList {
  return {
    baseDir: MIGRATIONS_DIR,
    lockfile: { path: LOCK_FILE, content: readFileSync(join(MIGRATIONS_DIR, LOCK_FILE), "utf8") },
    shadowDbInitScript: "",
    migrationDirectories: migrations.map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: SCRIPT, content: { tag: "ok", value: sql } },
    })),
  };
}

/** Everything in the schema is ours: nothing is left out of a comparison. */
export const NO_FILTER = { externalTables: [], externalEnums: [] };
