import { getConstructionPlans } from "pg-boss";
import { getAll, migrate } from "pg-boss/dist/migrationStore.js";
import { inTransaction, type MigrationSession } from "../database/migration-session.ts";
import { readSchemaVersion, recordCompatibility } from "../database/schema-version.ts";
import { StartupError } from "../util/startup-error.ts";

const SCHEMA = "pgboss";
/** The version of its schema that this version of pg-boss needs. */
export const JOB_SCHEMA = Math.max(...getAll(SCHEMA).map(({ version }) => version));
/**
 * Releases for this version of the schema, or a later one, also work with JOB_SCHEMA. When you update pg-boss, keep it if
 * test/operations/previous-release.slow.test.ts passes; otherwise, set it to JOB_SCHEMA.
 */
const COMPATIBLE_SINCE = 43;

/** A script of pg-boss without BEGIN and COMMIT, because its lock timeout is 30 s. */
const SCRIPT =
  /^\s*BEGIN;\s*SET LOCAL lock_timeout = \d+;\s*SET LOCAL idle_in_transaction_session_timeout = \d+;([^]*);\s*COMMIT;\s*$/;
const COMPATIBILITY = "works with the code for schema";
type Queryable = Pick<MigrationSession["client"], "query">;
type Found = { readonly version: number | null; readonly incompatibility: string | null };

/** The version of the schema of the job queue; null without one. `incompatibility` is a message for the operator, or null. */
export async function compareJobSchema(client: Queryable): Promise<Found> {
  const found = await readSchemaVersion(client, SCHEMA, COMPATIBILITY);
  const version = found?.version ?? null;
  const isTooNew = version !== null && version > JOB_SCHEMA && (found?.since ?? version) > JOB_SCHEMA;
  const incompatibility = `The job queue has schema ${version}, and this version works with ${JOB_SCHEMA}; start the newer version that migrated it.`;
  return { version, incompatibility: isTooNew ? incompatibility : null };
}

/**
 * Creates or migrates the schema of the job queue, with the locks of all migrations. pg-boss itself would migrate at any start, and ignore a
 * newer schema. Workers build indexes on large tables later. Throws a StartupError if the schema is too new.
 */
export async function migrateJobSchema(session: MigrationSession): Promise<string[]> {
  const { client, lock } = session;
  if (await isCurrent(client)) return [];
  await lock();
  // Another process may have migrated it before it released the lock.
  if (await isCurrent(client)) return [];
  const { version } = await compareJobSchema(client);
  const what = `schema ${JOB_SCHEMA} of the job queue`;
  const [, script] = SCRIPT.exec(version === null ? getConstructionPlans(SCHEMA) : migrate(SCHEMA, version)) ?? [];
  if (script === undefined) throw new Error("The migrations of pg-boss have another form than expected.");
  await inTransaction(session, `The migration to ${what}`, async () => {
    await client.query(script);
    await recordCompatibility(client, SCHEMA, COMPATIBILITY, COMPATIBLE_SINCE);
  });
  return [what];
}

async function isCurrent(client: Queryable): Promise<boolean> {
  const { version, incompatibility } = await compareJobSchema(client);
  if (incompatibility !== null) throw new StartupError(incompatibility);
  return version !== null && version >= JOB_SCHEMA;
}
