import { accessSync, constants, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { tryLock, type ProcessLock } from "../process-lock.ts";
import { StartupError } from "../startup-error.ts";
import { waitFor } from "../wait-for.ts";
import { createCluster, openCluster, type Cluster, type ServerSettings } from "./cluster.ts";
import { refuseForeignCluster } from "./home.ts";
import { findPostmaster, launchPostgres, shutDownPostgres } from "./server.ts";

export type EmbeddedPostgres = {
  /** Leads to the database `plumbline`, and stays the same while anybody uses the server, also after a restart. */
  readonly url: string;
  /** Stops using PostgreSQL, and ends it unless another process uses it. */
  stop(): Promise<void>;
};

type Options = { readonly dataDir: string; readonly settings?: ServerSettings; readonly log?: (line: string) => void };

const DATABASE = "plumbline";
const LOCK_TIMEOUT_MS = 60_000;
const ANSWER_TIMEOUT_MS = 15_000;
const RETRY_MS = 20;
const WATCH_MS = 1_000;
const CONNECT_TIMEOUT_MS = 5_000;
const DATABASE_MISSING = "3D000";
// It is still starting, already stopping, or gone.
const TRANSIENT = ["ECONNREFUSED", "ECONNRESET", "57P01", "57P03"];

/**
 * Uses the PostgreSQL of `dataDir`, and starts it if it does not run. No process owns it: each one that uses it shares a
 * lock, restarts it when it dies, and the last one to leave stops it. `settings` are those of postgresql.conf; they apply
 * if this call starts the server. Throws a StartupError that says in a sentence what is wrong.
 */
export async function startEmbeddedPostgres({ dataDir, settings = {}, log = () => {} }: Options): Promise<EmbeddedPostgres> {
  const dir = writableDir(dataDir);
  refuseForeignCluster(dir);
  const users = join(dir, "postgres.users");
  using _starting = await lockStartAndStop(dir);
  const mayMove = isUnlocked(users);
  const use = tryLock(users, "shared");
  if (use === null) throw new Error(`${users} is locked by something that is not this service.`);
  using unlessStarted = new DisposableStack();
  unlessStarted.use(use);
  const cluster = openCluster(dir, settings, log);
  await createCluster(cluster);
  const url = await startAnswering(cluster, mayMove);
  unlessStarted.move();
  return inUse(dir, cluster, url, use, log);
}

function writableDir(dataDir: string): string {
  try {
    mkdirSync(dataDir, { recursive: true });
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return realpathSync(dataDir);
  } catch (error) {
    throw new StartupError(`The data directory ${dataDir} cannot be written: ${(error as Error).message}.`, { cause: error });
  }
}

const startLockOf = (dir: string) => join(dir, "postgres.lock");

/** Processes start, join and stop the server one at a time. */
async function lockStartAndStop(dir: string): Promise<ProcessLock> {
  const lock = await waitFor(() => tryLock(startLockOf(dir)), LOCK_TIMEOUT_MS);
  if (lock !== null) return lock;
  throw new StartupError(`Another process has been starting or stopping the database of ${dir} for ${LOCK_TIMEOUT_MS / 1000} s.`);
}

function isUnlocked(path: string): boolean {
  using lock = tryLock(path);
  return lock !== null;
}

function inUse(dir: string, cluster: Cluster, url: string, use: ProcessLock, log: (line: string) => void): EmbeddedPostgres {
  const leaving = new AbortController();
  const watching = watch(dir, cluster, leaving.signal, log);
  const stop = async () => {
    leaving.abort();
    await watching;
    using stopping = await lockStartAndStop(dir).catch(() => null);
    use.release();
    if (stopping !== null && isUnlocked(join(dir, "postgres.users"))) await shutDownPostgres(cluster.dir);
  };
  let stopped: Promise<void> | undefined;
  return { url, stop: () => (stopped ??= stop()) };
}

/** Restarts the server on its port when it dies while it is in use. */
async function watch(dir: string, cluster: Cluster, leaving: AbortSignal, log: (line: string) => void): Promise<void> {
  for (;;) {
    await delay(WATCH_MS, undefined, { signal: leaving, ref: false }).catch(() => undefined);
    if (leaving.aborted) return;
    using lock = findPostmaster(cluster.dir) === null ? tryLock(startLockOf(dir)) : null;
    // Another process may have restarted it before it released the lock.
    if (lock === null || findPostmaster(cluster.dir) !== null) continue;
    log(`PostgreSQL has died and is restarted; its last log is ${cluster.logFile}.before.`);
    await startAnswering(cluster, false).catch((error: Error) => log(error.message));
  }
}

/** Brings the server to where it answers, whether there was none, one that runs, or one that is just stopping. */
async function startAnswering(cluster: Cluster, mayMove: boolean): Promise<string> {
  const deadline = performance.now() + ANSWER_TIMEOUT_MS;
  for (;;) {
    if (findPostmaster(cluster.dir) === null) await launchPostgres(cluster, mayMove);
    const url = urlOf(cluster, DATABASE);
    let failure = await failureOf(url);
    if (failure?.code === DATABASE_MISSING) failure = await failureOf(urlOf(cluster, "postgres"), `CREATE DATABASE ${DATABASE}`);
    if (failure === null) return url;
    if (!TRANSIENT.includes(String(failure.code)) || performance.now() > deadline)
      throw new StartupError(`The PostgreSQL of ${cluster.dir} runs but does not answer: ${failure.message}.`, {
        cause: failure,
      });
    await delay(RETRY_MS);
  }
}

function urlOf({ dir, passwordFile }: Cluster, database: string): string {
  const password = readFileSync(passwordFile, "utf8").trim();
  return `postgresql://postgres:${password}@127.0.0.1:${findPostmaster(dir)?.port ?? 0}/${database}`;
}

async function failureOf(url: string, statement = "SELECT 1"): Promise<(Error & { readonly code?: unknown }) | null> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  // If the server stops between two steps, the next step reports it.
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query(statement);
    return null;
  } catch (error) {
    return error as Error;
  } finally {
    await client.end().catch(() => {});
  }
}
