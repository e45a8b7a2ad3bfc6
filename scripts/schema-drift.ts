import { readFileSync } from "node:fs";
import { join } from "node:path";
import { withSchemaEngine } from "./schema-engine.ts";

const PRISMA_DIR = join(import.meta.dirname, "../prisma");

const SOMETHING_TO_DO = 2;

/** The SQL that changes a database with all migrations to schema.prisma; empty if they agree. */
export async function schemaDrift(databaseUrl: string): Promise<string> {
  const files = [{ path: "schema.prisma", content: schemaForEngine() }];
  const { exitCode, stdout } = await withSchemaEngine(databaseUrl, (engine) =>
    engine.diff({
      from: { tag: "schemaDatasource", files, configDir: PRISMA_DIR },
      to: { tag: "schemaDatamodel", files },
      script: true,
      exitCode: true,
      filters: { externalTables: [], externalEnums: [] },
    }),
  );
  return exitCode === SOMETHING_TO_DO ? (stdout ?? "") : "";
}

/**
 * The engine reads `dbgenerated("now()")`, which prevents the client from using its own clock, as `now()`. Otherwise, the two
 * would always differ.
 */
function schemaForEngine(): string {
  return readFileSync(join(PRISMA_DIR, "schema.prisma"), "utf8").replaceAll('dbgenerated("now()")', "now()");
}
