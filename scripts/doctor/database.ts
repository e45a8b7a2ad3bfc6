import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { Config } from "../../src/config.ts";
import { connect, databaseIdentity, refuseOtherDatabase, type Database } from "../../src/database/client.ts";
import { reasonOf } from "../../src/database/database-failure.ts";
import { outdatedFunctions } from "../../src/database/functions.ts";
import { compareMigrations } from "../../src/database/migrate.ts";
import { isDirect } from "../../src/database/session.ts";
import { findEmbeddedPostgres } from "../../src/embedded-postgres/index.ts";
import { compareJobSchema, JOB_SCHEMA } from "../../src/jobs/schema-store.ts";
import { StartupError } from "../../src/util/startup-error.ts";
import { fault, good, warning, type Checks } from "./finding.ts";

/** The database: a connection for requests, and a direct connection for migrations and jobs. */
export type Subject = Database & { readonly config: Config; readonly direct: pg.Client; readonly directUrl: string };

const VERSION_MIN = 140_000;
const TIMEOUT_MS = 5_000;
const REPLICA_POLL_MS = 100;
const CLOCK_WARNING_MS = 1_000;
/** Beyond this, valid JWTs are refused. */
const CLOCK_FAULT_MS = 5_000;
/** The connections of one process in addition to DATABASE_POOL_SIZE: jobs and LISTEN, health checks. */
const EXTRA_CONNECTIONS = 6;
const RISKY: Readonly<Record<string, string>> = {
  fsync: "a crash of the machine can destroy the database",
  full_page_writes: "a crash of the machine can destroy the database",
  synchronous_commit: "a crash of PostgreSQL can lose acknowledged writes",
};

/** Opens the database of a deployment, until `stack` is disposed. Throws a StartupError if it can't be used. */
export async function openSubject(config: Config, stack: AsyncDisposableStack): Promise<Subject> {
  const url = config.DATABASE_URL ?? findEmbeddedPostgres(config.DATA_DIR);
  if (url === null)
    throw new StartupError(
      "The embedded database doesn't run, so it and what needs it cannot be checked; start the service, and run this again.",
    );
  const sizes = { ...config, DATABASE_POOL_SIZE: 1 };
  const database = stack.adopt(await connect(url, sizes, () => undefined), (it) => it.close());
  const directUrl = config.DIRECT_DATABASE_URL ?? url;
  const direct = new pg.Client({
    connectionString: directUrl,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    application_name: "plumbline doctor",
  });
  direct.on("error", () => undefined);
  stack.defer(() => direct.end());
  try {
    await direct.connect();
  } catch (error) {
    throw new StartupError(`The database at DIRECT_DATABASE_URL cannot be used: ${(error as Error).message}.`, { cause: error });
  }
  return { ...database, config, direct, directUrl };
}

const ask = async <Row extends pg.QueryResultRow>({ direct }: Subject, sql: string): Promise<Row> =>
  (await direct.query<Row>(sql)).rows[0]!;

const HISTORY = "(SELECT id FROM log_histories) AS history";

/** Why the service would not read this replica; null if it would. Waits until the replica has replayed the current position. */
async function problemOfReplica(url: string, primary: pg.Client, maxLagSeconds: number): Promise<string | null> {
  const replica = new pg.Client({ connectionString: url, connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS });
  replica.on("error", () => undefined);
  try {
    await replica.connect();
    if ((await databaseIdentity(replica)) !== (await databaseIdentity(primary))) return "has another database";
    const { rows: written } = await primary.query<{ position: string; history: string | null }>(
      `SELECT pg_current_wal_insert_lsn() AS position, ${HISTORY}`,
    );
    for (const endsAtMs = performance.now() + maxLagSeconds * 1_000; ; await delay(REPLICA_POLL_MS)) {
      const { rows } = await replica.query<{ has: boolean | null; history: string | null }>(
        `SELECT CASE WHEN pg_is_in_recovery() THEN coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false) END AS has, ${HISTORY}`,
        [written[0]!.position],
      );
      if (rows[0]!.has === null) return "is no replica";
      if (rows[0]!.has) return rows[0]!.history === written[0]!.history ? null : "has another history than the primary";
      if (performance.now() > endsAtMs) return `is more than ${maxLagSeconds} s behind`;
    }
  } catch (error) {
    return `cannot be used: ${reasonOf(error)}`;
  } finally {
    await replica.end().catch(() => undefined);
  }
}

/** Checks of the database. */
export const databaseChecks: Checks<Subject> = {
  async database_version(subject) {
    const { name, number } = await ask<{ name: string; number: number }>(
      subject,
      "SELECT current_setting('server_version') AS name, current_setting('server_version_num')::int AS number",
    );
    if (number >= VERSION_MIN) return good(`The database answers; it is PostgreSQL ${name}.`);
    return fault(`The database is PostgreSQL ${name}; the service needs 14 or newer.`);
  },

  async pooler({ config, direct }) {
    if (await isDirect(direct))
      return good(
        config.DIRECT_DATABASE_URL === undefined
          ? "DATABASE_URL leads to PostgreSQL without a pooler."
          : "DIRECT_DATABASE_URL leads to PostgreSQL without a pooler.",
      );
    if (config.DIRECT_DATABASE_URL === undefined)
      return fault(
        "DATABASE_URL leads to a pooler, where migrations and jobs don't work; set DIRECT_DATABASE_URL to the address of PostgreSQL itself.",
      );
    return fault("DIRECT_DATABASE_URL leads to a pooler, too; set it to the address of PostgreSQL itself.");
  },

  async migrations({ direct }) {
    const { count, missing, newer, incompatibility } = await compareMigrations(direct);
    if (incompatibility !== null) return fault(incompatibility);
    if (missing.length > 0)
      return fault(
        `The database lacks ${missing.length} of ${count} migrations (${missing.join(", ")}); run \`npm run migrate\`, or start this version, which applies them.`,
      );
    const outdated = await outdatedFunctions(direct);
    if (outdated.length > 0)
      return fault(
        `The database lacks the functions of this version (${outdated.map((it) => it.name).join(", ")}); run \`npm run migrate\`, or start this version, which applies them.`,
      );
    if (newer.length === 0) return good(`The database has all ${count} migrations.`);
    return warning(
      `The database has ${newer.join(", ")} of a newer version. This version works with it, but complete the deployment of the newer one.`,
    );
  },

  async indexes(subject) {
    const { invalid } = await ask<{ invalid: string[] }>(
      subject,
      `SELECT coalesce(array_agg(indexrelid::regclass::text ORDER BY indexrelid::regclass::text), '{}') AS invalid
      FROM pg_index WHERE NOT indisvalid AND indexrelid NOT IN (SELECT index_relid FROM pg_stat_progress_create_index)`,
    );
    if (invalid.length === 0) return good("All indexes are valid.");
    return fault(
      `These indexes are invalid, because their build was interrupted: ${invalid.join(", ")}. No query uses them. Run \`REINDEX INDEX CONCURRENTLY\` for each, or \`DROP INDEX CONCURRENTLY\` if its name ends with _ccnew or _ccold.`,
    );
  },

  async job_queue({ direct }) {
    const { version, incompatibility } = await compareJobSchema(direct);
    if (incompatibility !== null) return fault(incompatibility);
    if (version === null || version < JOB_SCHEMA)
      return fault(
        `The job queue has ${version === null ? "no schema" : `schema ${version}`}, and needs ${JOB_SCHEMA}; run \`npm run migrate\`, or start this version, which migrates it.`,
      );
    if (version === JOB_SCHEMA) return good(`The job queue has schema ${version}.`);
    return warning(
      `The job queue has schema ${version} of a newer version. This version works with it, but complete the deployment of the newer one.`,
    );
  },

  async same_database({ config, pool, direct, directUrl }) {
    if (config.DIRECT_DATABASE_URL === undefined || (await compareMigrations(direct)).missing.length > 0) return null;
    await refuseOtherDatabase(pool, directUrl);
    return good("DATABASE_URL and DIRECT_DATABASE_URL lead to the same database.");
  },

  async replicas({ config, direct }) {
    const urls = config.REPLICA_DATABASE_URLS ?? [];
    if (config.ROLE === "worker" || urls.length === 0) return null;
    const problems = await Promise.all(urls.map((url) => problemOfReplica(url, direct, config.REPLICA_MAX_LAG_SECONDS)));
    const found = urls.flatMap((url, index) => (problems[index] === null ? [] : [`${new URL(url).host} ${problems[index]}`]));
    if (found.length === 0) return good(`All ${urls.length} replicas follow the primary closely enough to be read.`);
    return fault(`The primary serves the reads of ${found.length} of ${urls.length} replicas: ${found.join("; ")}.`);
  },

  async sessions({ pool }) {
    // The pool checks the settings of each connection when it is opened.
    const { rows } = await pool.query<{ TimeZone: string }>("SHOW TimeZone");
    return good(`Sessions have the settings that they need, and the time zone ${rows[0]?.TimeZone}.`);
  },

  async connections(subject) {
    const { allowed, used } = await ask<{ allowed: number; used: number }>(
      subject,
      `SELECT least(current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
          - coalesce(current_setting('reserved_connections', true)::int, 0), nullif(datconnlimit, -1), nullif(rolconnlimit, -1)) AS allowed,
        (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')::int AS used
      FROM pg_database, pg_roles WHERE datname = current_database() AND rolname = current_user`,
    );
    const perProcess = subject.config.DATABASE_POOL_SIZE + EXTRA_CONNECTIONS;
    const processes = Math.floor(allowed / perProcess);
    const facts = `PostgreSQL allows ${allowed} connections, and ${used} are in use. A process needs up to ${perProcess}`;
    if (processes === 0)
      return fault(`${facts}, so not even one process fits; lower DATABASE_POOL_SIZE or raise max_connections.`);
    if (processes < 2)
      return warning(`${facts}, so a second process, or a new one during a deployment, can fail; lower DATABASE_POOL_SIZE.`);
    if (used >= allowed * 0.9)
      return warning(`${facts}; hardly any are left, so lower DATABASE_POOL_SIZE or raise max_connections.`);
    return good(`${facts}, so ${processes} processes fit.`);
  },

  async durability(subject) {
    const found = await ask<Record<string, string>>(
      subject,
      `SELECT ${Object.keys(RISKY)
        .map((it) => `current_setting('${it}') AS ${it}`)
        .join(", ")}, current_setting('wal_level') AS wal_level`,
    );
    const off = Object.keys(RISKY).filter((it) => found[it] === "off");
    const effects = [...new Set(off.map((it) => RISKY[it]))].join(", and ");
    if (off.length > 0) return fault(`PostgreSQL has ${off.map((it) => `${it}=off`).join(" and ")}: ${effects}. Turn it on.`);
    if (found["wal_level"] === "minimal")
      return warning("PostgreSQL has wal_level=minimal, so there can be no standby and no restore to a point in time.");
    return good("PostgreSQL keeps acknowledged writes in a crash.");
  },

  async clock(subject) {
    const before = Date.now();
    const { ms } = await ask<{ ms: number }>(subject, "SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms");
    const difference = Math.round(Math.abs(ms - (before + Date.now()) / 2));
    const sentence = `The clocks of this machine and of the database differ by ${difference} ms`;
    if (difference < CLOCK_WARNING_MS) return good(`${sentence}.`);
    if (difference < CLOCK_FAULT_MS) return warning(`${sentence}; synchronize them (NTP).`);
    return fault(`${sentence}, so JWTs are accepted too long or refused too early; synchronize them (NTP).`);
  },
};
