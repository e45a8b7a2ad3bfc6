import type { Config } from "../src/config.ts";
import { connect, type Db } from "../src/database/client.ts";
import { startEmbeddedPostgres } from "../src/embedded-postgres/index.ts";
import { migrateDatabase } from "../src/jobs/migrate-database.ts";

/** Opens the database of the service for a command, whether the service runs or not, until `stack` is disposed. */
export async function openDatabase(
  config: Config,
  stack: AsyncDisposableStack,
): Promise<{ readonly db: Db; readonly url: string }> {
  const url =
    config.DIRECT_DATABASE_URL ??
    config.DATABASE_URL ??
    stack.adopt(await startEmbeddedPostgres({ dataDir: config.DATA_DIR }), (it) => it.stop()).url;
  await migrateDatabase(url, { report: console.error });
  return { db: stack.adopt(await connect(url, { DATABASE_POOL_SIZE: 2 }, () => undefined), (it) => it.close()).db, url };
}
