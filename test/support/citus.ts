import { spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DATABASE, ENVIRONMENT, openCluster, type Cluster } from "../../src/embedded-postgres/cluster.ts";
import { findPostgresql } from "./commands.ts";
import { administer, openSession, withDatabase } from "./database.ts";
import { makeDir, SETTINGS, startNode, type PostgresNode } from "./postgres-nodes.ts";

/** A coordinator, at `url`, and two workers. `nodes` are all three. At the end of the scope, they are stopped and removed. */
export type CitusCluster = AsyncDisposable &
  Pick<PostgresNode, "url" | "ask"> & {
    readonly coordinator: PostgresNode;
    readonly workers: readonly PostgresNode[];
    readonly nodes: readonly PostgresNode[];
    /** The log of the coordinator. */
    log(): string;
    /** Creates the extension in a database, which must exist on all nodes, and makes the nodes know each other there. */
    connect(database: string): Promise<void>;
    /** Starts a server that the cluster doesn't know yet. It has this database with the extension, as a future worker has. */
    prepareWorker(database: string): Promise<PostgresNode>;
  };

type Settings = Readonly<Record<string, string>>;
type Options = { readonly settings?: Settings; readonly folder?: string; readonly onFolder?: (dataDir: string) => void };

const FOR_CITUS: Settings = {
  ...SETTINGS,
  shared_preload_libraries: "citus",
  // A statement on the coordinator opens sessions on the workers, and each of its databases has a background process.
  max_connections: "400",
  max_prepared_transactions: "400",
  max_worker_processes: "100",
  max_replication_slots: "20",
  max_wal_senders: "20",
  wal_level: "logical",
  wal_keep_size: "0",
  // There is no certificate.
  "citus.node_conninfo": "sslmode=prefer",
  "citus.enable_statistics_collection": "off",
};

/** Why this machine can't run Citus; null if it can. The library must fit this release of PostgreSQL, so it is loaded once. */
export function missingCitus(): string | null {
  const bin = findPostgresql();
  if (bin === null) return "needs a PostgreSQL server with Citus, and there is no PostgreSQL server";
  const asked = spawnSync(join(bin, "pg_config"), ["--pkglibdir"], { encoding: "utf8" });
  const library = join(asked.status === 0 ? asked.stdout.trim() : join(dirname(bin), "lib"), "citus.so");
  if (!existsSync(library)) return `needs Citus, and there is no ${library}`;
  const node = describeNode(makeDir(), bin, {});
  try {
    initialize(node);
    const single = ["--single", "-D", node.dir, "-c", "shared_preload_libraries=citus", "-c", "exit_on_error=on", "postgres"];
    const tried = spawnSync(join(bin, "postgres"), single, { ...context(node), input: "SHOW citus.shard_count" });
    return tried.status === 0
      ? null
      : `needs Citus, and PostgreSQL can't load ${library}: ${tried.stderr.trim().split("\n").at(-1)}`;
  } finally {
    rmSync(dirname(node.dir), { recursive: true, force: true });
  }
}

/** Starts a cluster with an empty database on each node, with its files in `folder`. `onFolder` gets the folder of each server. */
export async function startCitus({ settings = {}, folder, onFolder }: Options = {}): Promise<CitusCluster> {
  await using stack = new AsyncDisposableStack();
  const start = async () => {
    const cluster = describeNode(makeDir(folder), findPostgresql()!, { ...FOR_CITUS, ...settings });
    onFolder?.(dirname(cluster.dir));
    initialize(cluster);
    return { cluster, node: await startNode(cluster) };
  };
  const startFirst = async () => {
    const started = await start();
    stack.use(started.node);
    return started;
  };
  const [first, ...others] = await Promise.all([startFirst(), startFirst(), startFirst()]);
  const { node: coordinator } = first;
  const workers = others.map(({ node }) => node);
  const nodes = [coordinator, ...workers];
  const connect = async (database: string) => {
    for (const { url } of nodes) await extend(withDatabase(url, database));
    await using session = await openSession(withDatabase(coordinator.url, database));
    await session.query("SELECT citus_set_coordinator_host('127.0.0.1', $1)", [portOf(coordinator)]);
    for (const worker of workers) await session.query("SELECT citus_add_node('127.0.0.1', $1)", [portOf(worker)]);
  };
  await Promise.all(nodes.map(({ url }) => administer(url, `CREATE DATABASE ${DATABASE}`)));
  const owned = stack.move();
  const prepareWorker = async (database: string) => {
    const { node } = await start();
    owned.use(node);
    await administer(node.url, `CREATE DATABASE ${database}`);
    await extend(withDatabase(node.url, database));
    return node;
  };
  return {
    ...{ url: coordinator.url, ask: coordinator.ask, coordinator, workers, nodes, connect, prepareWorker },
    log: () => readFileSync(first.cluster.logFile, "utf8"),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function extend(url: string): Promise<void> {
  await using session = await openSession(url);
  await session.query("CREATE EXTENSION citus");
}

export const portOf = ({ url }: PostgresNode) => Number(new URL(url).port);

/** The cluster of one server, with the programs of `bin` instead of the embedded ones. */
const describeNode = (dataDir: string, bin: string, settings: Settings): Cluster => ({
  ...openCluster(dataDir, settings, () => undefined),
  binaries: { dir: dirname(bin), version: "" },
});

const context = ({ user }: Cluster) => ({ cwd: "/", env: ENVIRONMENT, encoding: "utf8" as const, ...user });

/** The nodes reach each other without a password, and listen only on this machine. */
function initialize(cluster: Cluster): void {
  const { dir, user, passwordFile, binaries } = cluster;
  mkdirSync(dir, { mode: 0o700 });
  writeFileSync(passwordFile, "none\n");
  if (user !== undefined) chownSync(dir, user.uid, user.gid);
  const options = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--lc-ctype=C.UTF-8", "--no-sync"];
  const made = spawnSync(
    join(binaries.dir, "bin/initdb"),
    [`--pgdata=${dir}`, "--no-instructions", ...options],
    context(cluster),
  );
  if (made.status !== 0) throw new Error(`initdb: ${made.error?.message ?? made.stderr}`);
}
