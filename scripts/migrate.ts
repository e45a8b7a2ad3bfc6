import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand, UsageError } from "../src/util/command.ts";
import { startEmbeddedPostgres } from "../src/embedded-postgres/index.ts";
import { markRolledBack } from "../src/database/migrate.ts";
import { migrateDatabase } from "../src/jobs/migrate-database.ts";
import { hazardsOf, splitIntoMigrations } from "./migration-rules.ts";
import { settingsOfCommand } from "./operations/settings.ts";

const USAGE = `Applies and writes the migrations of the database.

Usage:
  npm run migrate                          apply pending migrations to DATABASE_URL, or to the embedded database in DATA_DIR
  npm run migrate -- create <name>         write migrations for the changes in prisma/schema.prisma; each new index of a table
                                           that exists gets one of its own
  npm run migrate -- rolled-back <name>    try a failed migration again, after you have removed what it left`;

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

async function apply(url: string): Promise<void> {
  const applied = await migrateDatabase(url, { report: console.log });
  console.log(applied.length === 0 ? "The database is at the newest migration." : `Applied ${applied.join(", ")}.`);
}

async function create(name: string): Promise<void> {
  // Loaded only here, because the schema engine is a development dependency.
  const { schemaDrift } = await import("./schema-drift.ts");
  const { withScratchSchema } = await import("./scratch-schema.ts");
  const sql = await withScratchSchema(schemaDrift);
  if (sql === "") return console.log("The migrations and prisma/schema.prisma agree: there is nothing to create.");
  const nowMs = Date.now();
  for (const [index, part] of splitIntoMigrations(sql).entries()) {
    const time = new Date(nowMs + index * 1_000).toISOString().replace(/\D/g, "").slice(0, 14);
    const folder = join(import.meta.dirname, "../prisma/migrations", `${time}_${name}${index === 0 ? "" : `_${index + 1}`}`);
    mkdirSync(folder);
    writeFileSync(join(folder, "migration.sql"), part);
    console.log(`Wrote ${join(folder, "migration.sql")}.`);
    for (const hazard of hazardsOf(part)) console.log(`  It would block requests: ${hazard}.`);
  }
  console.log("Review what it wrote, and see prisma/README.md for what the schema language can't express.");
}

await runCommand({ usage: USAGE, arguments: 2 }, ({ positionals: [command, name] }) => {
  if (command === undefined) return withDatabase(apply);
  if (command === "create" && /^[a-z][a-z0-9_]{0,60}$/.test(name ?? "")) return create(name!);
  if (command === "rolled-back" && name !== undefined) return withDatabase((url) => markRolledBack(url, name));
  throw new UsageError();
});
