import { applyFunctions } from "../database/functions.ts";
import { applyMissing } from "../database/migrate.ts";
import { withMigrationSession, type MigrationOptions } from "../database/migration-session.ts";
import { migrateJobSchema } from "./schema-store.ts";

/**
 * Brings the tables and functions of the service and the tables of the job queue to this version, and returns what it has applied. If there is
 * nothing to apply, it costs a connection and four queries.
 */
export function migrateDatabase(databaseUrl: string, options: MigrationOptions = {}): Promise<string[]> {
  return withMigrationSession(databaseUrl, options, async (session) => [
    ...(await applyMissing(session)),
    ...(await migrateJobSchema(session)),
    // PostgreSQL refuses a function in SQL whose tables are missing.
    ...(await applyFunctions(session)),
  ]);
}
