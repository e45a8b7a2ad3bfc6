import { accessSync, constants, existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { every } from "../util/every.ts";
import { makeFolder, unusableFolder } from "../util/make-folder.ts";
import { tryLock, type ProcessLock } from "../util/process-lock.ts";
import { StartupError } from "../util/startup-error.ts";
import { waitFor } from "../util/wait-for.ts";
import { createCluster, DATABASE, openCluster, type Cluster, type ServerSettings } from "./cluster.ts";
import { homeDirOf, refuseForeignCluster } from "./home.ts";
import { findPostmaster, launchPostgres, shutDownPostgres } from "./server.ts";

export type EmbeddedPostgres = {
  /** The URL of the database. It is constant while any process uses the server, even across restarts. */
  readonly url: string;
  /** Stops the server unless another process uses it. */
  stop(): Promise<void>;
};

type Options = { readonly dataDir: string; readonly settings?: ServerSettings; readonly log?: (line: string) => void };

const LOCK_TIMEOUT_MS = 60_000;
const CHANGE_TIMEOUT_MS = 15_000;
const WATCH_MS = 1_000;

/**
 * Starts the PostgreSQL server of `dataDir`, or uses the running one. Its users share a lock, any of them restarts a dead server, and the last
 * one stops it. `settings` apply only if this call starts the server. Throws a StartupError if the server cannot be used.
 */
export async function startEmbeddedPostgres({ dataDir, settings = {}, log = () => {} }: Options): Promise<EmbeddedPostgres> {
  const dir = await writableDir(dataDir);
  refuseForeignCluster(dir);
  const startLock = join(dir, "postgres.lock");
  const users = join(dir, "postgres.users");

  using _starting = await lockStartAndStop(startLock);
  const mayMove = isUnlocked(users);
  using unlessStarted = new DisposableStack();
  const use = unlessStarted.use(tryLock(users, "shared"));
  if (use === null) throw new Error(`${users} is locked by another program.`);
  const cluster = openCluster(dir, settings, log);
  await createCluster(cluster);
  const url = await start(cluster, mayMove);
  unlessStarted.move();

  const leaving = new AbortController();
  const watching = watch(startLock, cluster, leaving.signal, log);
  const stop = async () => {
    leaving.abort();
    await watching;
    using stopping = await lockStartAndStop(startLock).catch(() => null);
    use.release();
    if (stopping !== null && isUnlocked(users)) await shutDownPostgres(cluster);
  };
  let stopped: Promise<void> | undefined;
  return { url, stop: () => (stopped ??= stop()) };
}

/** The URL of the running server of `dataDir`, or null. It doesn't keep the server running. */
export function findEmbeddedPostgres(dataDir: string): string | null {
  if (!existsSync(dataDir)) return null;
  const home = homeDirOf(realpathSync(dataDir));
  return findPostmaster(join(home, "postgres"))?.isReady === true ? urlOf(home) : null;
}

async function writableDir(dataDir: string): Promise<string> {
  try {
    await makeFolder(dataDir);
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return realpathSync(dataDir);
  } catch (error) {
    throw unusableFolder(dataDir, error);
  }
}

/** Takes the lock for starting and stopping the server. */
async function lockStartAndStop(path: string): Promise<ProcessLock> {
  const lock = await waitFor(() => tryLock(path), LOCK_TIMEOUT_MS);
  if (lock !== null) return lock;
  const dir = dirname(path);
  throw new StartupError(`Another process has been starting or stopping the database of ${dir} for ${LOCK_TIMEOUT_MS / 1000} s.`);
}

function isUnlocked(path: string): boolean {
  using lock = tryLock(path);
  return lock !== null;
}

/** Restarts a dead server on the same port. */
function watch(startLock: string, cluster: Cluster, leaving: AbortSignal, log: (line: string) => void): Promise<void> {
  return every(WATCH_MS, leaving, async () => {
    using lock = findPostmaster(cluster.dir) === null ? tryLock(startLock) : null;
    // Another process may have restarted the server before it released the lock.
    if (lock === null || findPostmaster(cluster.dir) !== null) return;
    log(`PostgreSQL stopped unexpectedly and is being restarted; its previous log is ${cluster.logFile}.before.`);
    await start(cluster, false).catch((error: Error) => log(error.message));
  });
}

/** Starts the server unless it is running, and returns its URL. Waits for a server that is starting or stopping. */
async function start(cluster: Cluster, mayMove: boolean): Promise<string> {
  const { dir } = cluster;
  await waitFor(() => findPostmaster(dir)?.isReady !== false, CHANGE_TIMEOUT_MS);
  if (findPostmaster(dir) === null) await launchPostgres(cluster, mayMove);
  return urlOf(dirname(dir));
}

/** The URL of the server whose cluster is in `home`. */
function urlOf(home: string): string {
  const password = readFileSync(join(home, "postgres.password"), "utf8").trim();
  return `postgresql://postgres:${password}@127.0.0.1:${findPostmaster(join(home, "postgres"))?.port ?? 0}/${DATABASE}`;
}
