import { randomUUID } from "node:crypto";
import pg from "pg";

/** The migrated database that PostgreSQL copies for each test database. */
export const TEMPLATE = "plumbline_template";

export type TestDatabase = { readonly url: string; drop(): Promise<void> };
/** A database for a service. Without `drop`, it stays when the service ends. */
export type GivenDatabase = Pick<TestDatabase, "url"> & Partial<TestDatabase>;

/** Runs a statement on the `postgres` database of the server, and of the workers of `npm run test:citus`. */
export async function onAllServers(statement: string): Promise<void> {
  const serverUrl = process.env["TEST_SERVER_URL"]!;
  await Promise.all([serverUrl, ...workerUrls()].map((url) => administer(url, statement)));
}

/** Creates a separate database that is migrated and has no rows; with `isEmpty`, it has no tables either. */
export async function createTestDatabase({ isEmpty = false } = {}): Promise<TestDatabase & AsyncDisposable> {
  const serverUrl = process.env["TEST_SERVER_URL"]!;
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  // To copy the files takes a third of the time of the default, which writes each page to the log as well.
  await onAllServers(`CREATE DATABASE ${name} TEMPLATE ${isEmpty ? "template1" : TEMPLATE} STRATEGY file_copy`);
  const drop = () => onAllServers(`DROP DATABASE ${name} WITH (FORCE)`);
  return { url: withDatabase(serverUrl, name), drop, [Symbol.asyncDispose]: drop };
}

/** The workers of `npm run test:citus`. On each of them, a test database has its shards. */
const workerUrls = () => (process.env["TEST_WORKER_URLS"] ?? "").split(" ").filter((it) => it !== "");

/** A session of its own, which ends with the scope. */
export async function openSession(url: string, config: pg.ClientConfig = {}): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString: url, ...config });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

/** SQL for a time in a column, but earlier. Citus refuses `created_at - interval '400 days'`, which depends on the time zone. */
export const earlier = (column: string, by: string) => `(${column} AT TIME ZONE 'UTC' - interval '${by}') AT TIME ZONE 'UTC'`;

/** The URL of another database on the same server. */
export function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

const BUSY = "55006";
const ATTEMPTS = 50;

/**
 * Runs statements on the `postgres` database of the server. If two test files copy the template at once, one waits for the
 * other.
 */
export async function administer(serverUrl: string, ...statements: readonly string[]): Promise<void> {
  await using client = await openSession(withDatabase(serverUrl, "postgres"));
  for (const statement of statements) {
    for (let attempt = 1; ; attempt++) {
      try {
        await client.query(statement);
        break;
      } catch (error) {
        if ((error as { code?: string }).code !== BUSY || attempt === ATTEMPTS) throw error;
        await new Promise((done) => setTimeout(done, 100));
      }
    }
  }
}

/** The database of the node that has the rows of a user: on a cluster, that of a worker. */
export async function databaseOfUser(databaseUrl: string, userId: string): Promise<string> {
  await using session = await openSession(databaseUrl);
  const { rowCount } = await session.query("SELECT FROM pg_extension WHERE extname = 'citus'");
  if (rowCount === 0) return databaseUrl;
  const { rows } = await session.query<{ nodeport: number }>(
    `SELECT nodeport FROM pg_dist_shard_placement WHERE shardid = get_shard_id_for_distribution_column('notifications', $1::uuid)`,
    [userId],
  );
  const url = new URL(databaseUrl);
  url.port = String(rows[0]!.nodeport);
  return url.href;
}
