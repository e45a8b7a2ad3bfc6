import { TABLE_DISTRIBUTIONS } from "../../scripts/operations/distribution.ts";
import { distribute, type DistributionOptions } from "../../src/database/distribution/index.ts";
import { withMigrationSession } from "../../src/database/migration-session.ts";
import { DATABASE } from "../../src/embedded-postgres/cluster.ts";
import { migrateDatabase } from "../../src/jobs/migrate-database.ts";
import { startCitus, type CitusCluster } from "./citus.ts";

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

/** The database of a cluster, for a deployment, which leaves it there. */
export const databaseOf = ({ url }: { readonly url: string }) => ({ url, drop: async () => {} });
