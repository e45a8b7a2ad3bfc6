import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startEmbeddedPostgres } from "../../src/embedded-postgres/index.ts";
import { markRolledBack } from "../../src/database/migrate.ts";
import { migrateDatabase } from "../../src/jobs/migrate-database.ts";
import { hazardsOf, splitIntoMigrations } from "../migration-rules.ts";
import { settingsOfCommand } from "./settings.ts";

async function withDatabase(work: (url: string) => Promise<void>): Promise<void> {
  // Only these, because a migration runs without the secrets of the service.
  const config = settingsOfCommand(["DATABASE_URL", "DIRECT_DATABASE_URL", "DATA_DIR"]);
  const configuredUrl = config.DIRECT_DATABASE_URL ?? config.DATABASE_URL;
  if (configuredUrl !== undefined) return work(configuredUrl);
  const embedded = await startEmbeddedPostgres({ dataDir: config.DATA_DIR, log: console.log });
  try {
    await work(embedded.url);
  } finally {
    await embedded.stop();
  }
}

/** Applies the pending migrations. */
export const migrate = (): Promise<void> =>
  withDatabase(async (url) => {
    const applied = await migrateDatabase(url, { report: console.log });
    console.log(applied.length === 0 ? "The database is at the newest migration." : `Applied ${applied.join(", ")}.`);
  });

/** Lets the next start try a failed migration again. */
export const retryMigration = (name: string): Promise<void> => withDatabase((url) => markRolledBack(url, name));

/** Writes migrations for the changes in prisma/schema.prisma. */
export async function createMigration(name: string): Promise<void> {
  // Loaded only here, because the schema engine is a development dependency.
  const { schemaDrift } = await import("../schema-drift.ts");
  const { withScratchSchema } = await import("../scratch-schema.ts");
  const sql = await withScratchSchema(schemaDrift);
  if (sql === "") return console.log("The migrations and prisma/schema.prisma agree: there is nothing to create.");
  const nowMs = Date.now();
  for (const [index, part] of splitIntoMigrations(sql).entries()) {
    const time = new Date(nowMs + index * 1_000).toISOString().replace(/\D/g, "").slice(0, 14);
    const folder = join(import.meta.dirname, "../../prisma/migrations", `${time}_${name}${index === 0 ? "" : `_${index + 1}`}`);
    mkdirSync(folder);
    writeFileSync(join(folder, "migration.sql"), part);
    console.log(`Wrote ${join(folder, "migration.sql")}.`);
    for (const hazard of hazardsOf(part)) console.log(`  It would block requests: ${hazard}.`);
  }
  console.log("Review what it wrote, and see prisma/README.md for what the schema language can't express.");
}
