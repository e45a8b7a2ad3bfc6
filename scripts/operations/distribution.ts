import { tables } from "#generated/tables.ts";
import type { TableDistributions } from "../../src/database/distribution/index.ts";
import { withMigrationSession, type MigrationSession } from "../../src/database/migration-session.ts";
import type { Tables } from "../../src/database/table.ts";
import { StartupError } from "../../src/util/startup-error.ts";
import { settingsOfCommand } from "./settings.ts";

/** The distribution of the tables of all areas. */
export const TABLE_DISTRIBUTIONS: TableDistributions = Object.entries(tables as Tables<never>).map(
  ([name, { distribution = "coordinator" }]) => [name, distribution],
);

type Work = (session: MigrationSession, distributions: TableDistributions, statementTimeoutSeconds: number) => Promise<void>;

/** Runs `work` on the database of the settings. The embedded database has no Citus. */
export function withDistribution(work: Work): Promise<void> {
  const config = settingsOfCommand(["DATABASE_URL", "DIRECT_DATABASE_URL", "DATABASE_STATEMENT_TIMEOUT_SECONDS"]);
  const url = config.DIRECT_DATABASE_URL ?? config.DATABASE_URL;
  if (url === undefined) throw new StartupError("Set DATABASE_URL to the coordinator of a Citus cluster.");
  return withMigrationSession(url, { report: console.log }, (session) =>
    work(session, TABLE_DISTRIBUTIONS, config.DATABASE_STATEMENT_TIMEOUT_SECONDS),
  );
}
