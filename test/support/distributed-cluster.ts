import { TABLE_DISTRIBUTIONS } from "../../scripts/operations/distribution.ts";
import { distribute, type DistributionOptions } from "../../src/database/distribution/index.ts";
import { withMigrationSession } from "../../src/database/migration-session.ts";
import { DATABASE } from "../../src/embedded-postgres/cluster.ts";
import { migrateDatabase } from "../../src/jobs/migrate-database.ts";
import { startCitus, type CitusCluster } from "./citus.ts";
import { cleanUpOnDeath } from "../../scripts/scratch-postgres.ts";
import { administer, TEMPLATE, withDatabase } from "./database.ts";

/** Starts a cluster whose database is migrated and distributed as `plumbline database distribute` does it. */
export async function startDistributedCluster(
  options: Parameters<typeof startCitus>[0] = {},
  distribution: DistributionOptions = {},
): Promise<CitusCluster> {
  await using starting = new AsyncDisposableStack();
  const cluster = starting.use(await startCitus(options));
  await migrateDatabase(cluster.url);
  await cluster.connect(DATABASE);
  await withMigrationSession(cluster.url, {}, (session) =>
    distribute(session, TABLE_DISTRIBUTIONS, () => undefined, distribution),
  );
  starting.move();
  return cluster;
}

/** Starts the cluster of `npm run test:citus`, whose databases all have the setting that `plumbline database distribute` gives to one. */
export async function startTestCluster(folder: string): Promise<CitusCluster & { stop(): Promise<void> }> {
  using cleaners = new DisposableStack();
  const settings = { "citus.enable_unsafe_triggers": "on", lock_timeout: "5s", log_min_messages: "error" };
  const onFolder = (dataDir: string) => cleaners.adopt(cleanUpOnDeath(dataDir), (it) => it.cancel());
  const cluster = await startCitus({ settings, folder, onFolder });
  const cancel = cleaners.move();
  const stop = async () => {
    printErrors(cluster.log());
    await cluster[Symbol.asyncDispose]();
    cancel.dispose();
  };
  return { ...cluster, stop };
}

const ERRORS_SHOWN = 30;
const STATEMENT_CHARACTERS = 160;

/** Prints which statements failed, because tests see no more of them than a 500. Tests provoke some of them. */
function printErrors(log: string): void {
  const errors = [
    ...log.matchAll(/ ERROR:  (.*)\n(?:.* (?:DETAIL|HINT|CONTEXT): .*\n|\t.*\n)*(?:.* STATEMENT:  (.*(?:\n\t.*)*))?/g),
  ].map(([, message, statement = ""]) => `${message}\n    ${statement.replaceAll(/\s+/g, " ").slice(0, STATEMENT_CHARACTERS)}`);
  const counted = [...Map.groupBy(errors, (it) => it)].map(([error, all]) => [all.length, error] as const);
  const most = counted.sort(([one], [other]) => other - one).slice(0, ERRORS_SHOWN);
  console.error(`\nThe errors of the coordinator:\n${most.map(([count, error]) => `${count} times: ${error}`).join("\n")}`);
}

/**
 * Creates the database that every test database is a copy of, on each node. A copy has the shards and knows the nodes. PostgreSQL
 * copies only a database without sessions, and Citus has one in each that accepts any.
 */
export async function makeCitusTemplate({ coordinator, nodes, connect }: CitusCluster): Promise<void> {
  await Promise.all(nodes.map(({ url }) => administer(url, `CREATE DATABASE ${TEMPLATE}`)));
  await connect(TEMPLATE);
  const template = withDatabase(coordinator.url, TEMPLATE);
  await migrateDatabase(template);
  await withMigrationSession(template, {}, (session) => distribute(session, TABLE_DISTRIBUTIONS, () => undefined));
  const close = [
    `ALTER DATABASE ${TEMPLATE} ALLOW_CONNECTIONS false`,
    `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '${TEMPLATE}'`,
  ];
  await Promise.all(nodes.map(({ url }) => administer(url, ...close)));
}
