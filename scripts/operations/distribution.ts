import { tables } from "#generated/tables.ts";
import type { Places } from "../../src/database/distribution/index.ts";
import { withMigrationSession, type MigrationSession } from "../../src/database/migration-session.ts";
import type { Tables } from "../../src/database/table.ts";
import { StartupError } from "../../src/util/startup-error.ts";
import { settingsOfCommand } from "./settings.ts";

/** Where the tables of all areas are on a distributed database. */
export const PLACES: Places = Object.entries(tables as Tables<never>).map(([name, { place = "coordinator" }]) => [name, place]);

type Work = (session: MigrationSession, places: Places, statementTimeoutSeconds: number) => Promise<void>;

/** Runs `work` on the database of the settings. The embedded database has no Citus. */
export function withDistribution(work: Work): Promise<void> {
  const config = settingsOfCommand(["DATABASE_URL", "DIRECT_DATABASE_URL", "DATABASE_STATEMENT_TIMEOUT_SECONDS"]);
  const url = config.DIRECT_DATABASE_URL ?? config.DATABASE_URL;
  if (url === undefined) throw new StartupError("Set DATABASE_URL to the coordinator of a Citus cluster.");
  return withMigrationSession(url, { report: console.log }, (session) =>
    work(session, PLACES, config.DATABASE_STATEMENT_TIMEOUT_SECONDS),
  );
}
