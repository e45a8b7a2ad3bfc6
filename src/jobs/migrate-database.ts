import { applyFunctions } from "../database/functions.ts";
import { applyMissing } from "../database/migrate.ts";
import { withMigrationSession, type MigrationOptions } from "../database/migration-session.ts";
import { migrateJobSchema } from "./schema-store.ts";

/** Migrates the tables and functions of the service and the job queue, and returns what it has applied. Otherwise, it costs four queries. */
export function migrateDatabase(databaseUrl: string, options: MigrationOptions = {}): Promise<string[]> {
  return withMigrationSession(databaseUrl, options, async (session) => [
    ...(await applyMissing(session)),
    ...(await migrateJobSchema(session)),
    // PostgreSQL refuses a function in SQL whose tables are missing.
    ...(await applyFunctions(session)),
  ]);
}
