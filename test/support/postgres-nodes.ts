import { execFile } from "node:child_process";
import { chmodSync, chownSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { createCluster, DATABASE, openCluster, type Cluster } from "../../src/embedded-postgres/cluster.ts";
import { findPostmaster, launchPostgres, shutDownPostgres } from "../../src/embedded-postgres/server.ts";
import { openSession } from "./database.ts";
import { eventually } from "./eventually.ts";

type Settings = Readonly<Record<string, string>>;
type Row = Readonly<Record<string, unknown>>;

type StandbyOptions = {
  readonly settings?: Settings;
  /** The URL at which the standby reaches the primary, if it goes through a proxy. */
  readonly through?: string;
};

/** A PostgreSQL server that is not restarted when it dies: a primary, or a standby that streams from it. */
export type PostgresNode = AsyncDisposable & {
  readonly url: string;
  /** Runs one statement on a connection of its own, as an operator does. */
  ask(statement: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Kills every process of the server at once, as if its machine lost power. Returns how many there were. */
  kill(): Promise<number>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
  /** Stops every process of the server where it is, as if its machine hung. Its connections stay open, until `resume`. */
  halt(): Promise<void>;
  resume(): Promise<void>;
  /** Waits until the archive has everything that was committed. The server needs the settings `ARCHIVING`. */
  archiveAll(): Promise<void>;
  /** Copies the files of this running server. */
  backUp(): Promise<Backup>;
  /** Makes a standby from a copy of the files of this running server. It streams under this name, and can be read. */
  addStandby(name: string, options?: StandbyOptions): Promise<PostgresNode>;
  /** Writes a file of the server, such as a certificate, and makes it read its files again. */
  replaceFile(name: string, text: string): Promise<void>;
  /** Makes commits wait until these standbys have them on disk. */
  setSynchronous(standbys: string): Promise<void>;
  /** Makes a standby the primary, and waits until it accepts writes. */
  promote(): Promise<void>;
  /** Lets a running standby stream from another server, as an operator does after a failover. */
  follow(primary: Pick<PostgresNode, "url">): Promise<void>;
  /** Starts a killed standby as a primary on the same timeline, as if an earlier copy of the primary's disk was restored. */
  startAsPrimary(): Promise<void>;
};

export type Backup = Disposable & {
  /** Starts a server from the copy, which replays the archive until `target`, and then accepts writes. Once for each copy. */
  restore(target: Settings): Promise<PostgresNode>;
};

/** The log is archived into a folder of the server. */
export const ARCHIVING: Settings = { archive_mode: "on", archive_command: "mkdir -p archive && cp %p archive/%f" };

// These tests kill processes and not machines, so what a process has written survives without fsync.
export const SETTINGS: Settings = {
  ...{ fsync: "off", full_page_writes: "off", wal_keep_size: "512MB", autovacuum: "off" },
  // How long a standby waits before it asks for the log again.
  wal_retrieve_retry_interval: "100ms",
};

/**
 * Starts an empty primary from the embedded binaries, with these files in its folder. At the end of the scope, its files are
 * removed.
 */
export async function startPrimary(settings: Settings = {}, files: Readonly<Record<string, string>> = {}): Promise<PostgresNode> {
  const cluster = openCluster(makeDir(), { ...SETTINGS, ...settings }, () => undefined);
  await createCluster(cluster);
  for (const [name, text] of Object.entries(files)) write(cluster, name, text);
  return startNode(cluster);
}

/** Makes the folder of a server, which is removed with it. */
export function makeDir(folder = tmpdir()): string {
  const dataDir = mkdtempSync(join(folder, "plumbline-node-"));
  // As root, PostgreSQL runs as another user, which must be able to enter the folder.
  chmodSync(dataDir, 0o711);
  return dataDir;
}

/** Starts the server of a cluster, which has a database with the usual name. */
export async function startNode(cluster: Cluster): Promise<PostgresNode> {
  await launchPostgres(cluster, false);
  const { port } = findPostmaster(cluster.dir)!;
  const password = readFileSync(cluster.passwordFile, "utf8").trim();
  const url = `postgresql://postgres:${password}@127.0.0.1:${port}/${DATABASE}`;
  /** How a standby with this name reaches a primary. All servers have the same password. */
  const conninfo = (primaryUrl: string, name: string) =>
    `host=127.0.0.1 port=${new URL(primaryUrl).port} user=postgres password=${password} application_name=${name}`;
  const ssl = tlsOf(cluster);
  const ask = async (statement: string, values: readonly unknown[] = []) => {
    const client = new pg.Client({ connectionString: url, ssl });
    client.on("error", () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(statement, [...values])).rows;
    } finally {
      await client.end();
    }
  };
  const signal = async (name: NodeJS.Signals) => {
    const { pid } = findPostmaster(cluster.dir)!;
    const pids = [pid, ...(await childrenOf(pid))];
    for (const it of pids) signalIfThere(it, name);
    return pids.length;
  };
  return {
    url,
    ask,
    kill: () => signal("SIGKILL"),
    halt: async () => void (await signal("SIGSTOP")),
    resume: async () => void (await signal("SIGCONT")),
    start: () => launchPostgres(cluster, false),
    async archiveAll() {
      const [row] = await ask("SELECT pg_walfile_name(pg_switch_wal()) AS file");
      const last = async () => (await ask("SELECT last_archived_wal AS last FROM pg_stat_archiver"))[0]!["last"] as string | null;
      await eventually("the archive", async () => ((await last()) ?? "") >= (row!["file"] as string));
    },
    async backUp() {
      const copy = besides(cluster);
      await copyFiles(url, cluster, copy);
      const restore = async (target: Settings) => {
        write(copy, "recovery.signal", "");
        const recovery = { restore_command: `cp ${cluster.dir}/archive/%f %p`, recovery_target_action: "promote", ...target };
        const node = await startNode({ ...copy, settings: { ...copy.settings, ...recovery } });
        const isPrimary = async () => (await node.ask("SELECT pg_is_in_recovery() AS it"))[0]!["it"] === false;
        await eventually("the end of the recovery", () => isPrimary().catch(() => false), 60_000);
        return node;
      };
      return { restore, [Symbol.dispose]: () => removeFiles(copy) };
    },
    async addStandby(name, { settings = {}, through = url } = {}) {
      const standby = besides(cluster, { ...SETTINGS, ...settings });
      await copyFiles(url, cluster, standby);
      write(standby, "standby.signal", "");
      write(standby, "postgresql.auto.conf", `primary_conninfo = '${conninfo(through, name)}'\n`);
      const node = await startNode(standby);
      const streams = "SELECT 1 FROM pg_stat_replication WHERE application_name = $1 AND state = 'streaming'";
      await eventually("a standby that streams", async () => (await ask(streams, [name])).length === 1);
      return node;
    },
    async replaceFile(name, text) {
      write(cluster, name, text);
      await ask("SELECT pg_reload_conf()");
    },
    async setSynchronous(standbys) {
      await ask(`ALTER SYSTEM SET synchronous_standby_names = ${pg.escapeLiteral(standbys)}`);
      await ask("SELECT pg_reload_conf()");
      const isSynchronous = "SELECT 1 FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')";
      await eventually("a synchronous standby", async () => (await ask(isSynchronous)).length > 0);
    },
    async promote() {
      const [row] = await ask("SELECT pg_promote() AS promoted");
      if (row?.["promoted"] !== true) throw new Error("The standby was not promoted.");
    },
    async follow(primary) {
      await ask(`ALTER SYSTEM SET primary_conninfo = ${pg.escapeLiteral(conninfo(primary.url, "follower"))}`);
      await ask("SELECT pg_reload_conf()");
    },
    async startAsPrimary() {
      rmSync(join(cluster.dir, "standby.signal"));
      await launchPostgres(cluster, false);
    },
    async [Symbol.asyncDispose]() {
      await shutDownPostgres(cluster);
      removeFiles(cluster);
    },
  };
}

/** The cluster of another server with the same programs, which has no files yet. */
function besides({ binaries, settings }: Cluster, others = settings): Cluster {
  return { ...openCluster(makeDir(), others, () => undefined), binaries };
}

const removeFiles = ({ dir }: Cluster) => rmSync(join(dir, ".."), { recursive: true, force: true });

/** A test is the operator of its servers, and trusts them. */
const tlsOf = ({ settings }: Cluster) => (settings["ssl"] === "on" ? { rejectUnauthorized: false } : false);

/** Copies the files of a running server, as pg_basebackup does, which the embedded binaries lack. The log is a part of it. */
async function copyFiles(url: string, from: Cluster, to: Cluster): Promise<void> {
  await using session = await openSession(url, { ssl: tlsOf(from) });
  await session.query("SELECT pg_backup_start('a copy for a standby', fast => true)");
  // Files can vanish while they are copied, and the log of the server brings them back.
  await promisify(execFile)("cp", ["-a", from.dir, to.dir]).catch((error: { readonly stderr: string }) => {
    if (!error.stderr.split("\n").every((it) => it === "" || it.includes("No such file"))) throw error;
  });
  const { rows } = await session.query<{ labelfile: string }>("SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)");
  for (const file of ["postmaster.pid", "postmaster.opts"]) rmSync(join(to.dir, file), { force: true });
  write(to, "backup_label", rows[0]!.labelfile);
  cpSync(from.passwordFile, to.passwordFile);
}

/** Writes a file of a server, as the user that the server runs as. */
function write({ dir, user }: Cluster, name: string, text: string): void {
  const file = join(dir, name);
  writeFileSync(file, text, { mode: 0o600 });
  if (user !== undefined) chownSync(file, user.uid, user.gid);
}

/** The processes that a server has started. Doesn't block, because the proxies and clients of a test run in this process. */
async function childrenOf(pid: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid="]);
  const lines = stdout.trim().split("\n");
  const processes = lines.map((line) => line.trim().split(/\s+/).map(Number));
  return processes.filter(([, parent]) => parent === pid).map(([child]) => child!);
}

/** A backend can end by itself at any time. */
function signalIfThere(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as { code?: string }).code !== "ESRCH") throw error;
  }
}
