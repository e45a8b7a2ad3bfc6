import { applyMissing, readMigrations } from "../../../src/database/migrate.ts";
import { withMigrationSession, type MigrationOptions } from "../../../src/database/migration-session.ts";

/** Applies the migrations that a database lacks, without the functions and the job queue, and returns their names. */
export const applyMigrations = (databaseUrl: string, migrations = readMigrations(), options: MigrationOptions = {}) =>
  withMigrationSession(databaseUrl, options, (session) => applyMissing(session, migrations));
