import { readFileSync } from "node:fs";
import { join } from "node:path";
import { applyMigrations } from "../src/database/migrate.ts";
import { withSchemaEngine } from "./schema-engine.ts";
import { startScratchPostgres } from "./scratch-postgres.ts";

const PRISMA_DIR = join(import.meta.dirname, "../prisma");

const SOMETHING_TO_DO = 2;

/** The SQL that takes a database with all migrations to what schema.prisma says; empty when the two agree. Needs no server. */
export async function schemaDrift(): Promise<string> {
  const scratch = await startScratchPostgres();
  try {
    await applyMigrations(scratch.url);
    const files = [{ path: "schema.prisma", content: schemaForEngine() }];
    const { exitCode, stdout } = await withSchemaEngine(scratch.url, (engine) =>
      engine.diff({
        from: { tag: "schemaDatasource", files, configDir: PRISMA_DIR },
        to: { tag: "schemaDatamodel", files },
        script: true,
        exitCode: true,
        filters: { externalTables: [], externalEnums: [] },
      }),
    );
    return exitCode === SOMETHING_TO_DO ? (stdout ?? "") : "";
  } finally {
    await scratch.stop();
  }
}

/**
 * `dbgenerated("now()")` keeps the client from filling in its own clock. To the engine a column whose default is now()
 * is `now()` however it was written, and would differ from the schema for ever.
 */
function schemaForEngine(): string {
  return readFileSync(join(PRISMA_DIR, "schema.prisma"), "utf8").replaceAll('dbgenerated("now()")', "now()");
}
