import { accessSync, constants, mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { StartupError } from "../startup-error.ts";
import { preparePostgresHome, refuseForeignCluster, type PostgresHome } from "./postgres-home.ts";
import {
  clusterDirOf,
  createCluster,
  findPostmaster,
  launchPostgres,
  passwordOf,
  shutDownPostgres,
  type ServerSettings,
} from "./postgres-server.ts";
import { tryLock, tryShareLock, type ProcessLock } from "../process-lock.ts";
import { waitFor } from "../wait-for.ts";

export type EmbeddedPostgres = {
  /** Of the database `plumbline`; it holds as long as anybody uses the server, also when that has to be started anew. */
  readonly url: string;
  /** Ends PostgreSQL, unless somebody else still uses it. */
  stop(): Promise<void>;
};

type Options = { readonly dataDir: string; readonly settings?: ServerSettings; readonly log?: (line: string) => void };

const DATABASE = "plumbline";
const TURN_TIMEOUT_MS = 60_000;
const ANSWER_TIMEOUT_MS = 15_000;
const RETRY_MS = 20;
const WATCH_MS = 1_000;
const CONNECT_TIMEOUT_MS = 5_000;
const DATABASE_MISSING = "3D000";
// It is still starting, already stopping, or gone.
const TRANSIENT = new Set(["ECONNREFUSED", "ECONNRESET", "57P01", "57P03"]);

/**
 * Uses the PostgreSQL of `dataDir`, which is started when it does not run. Nobody owns it: each process that uses it
 * shares a lock, starts it anew when it has died, and the last one to leave stops it. `settings` are those of
 * postgresql.conf and hold when it is us who start it. Throws a StartupError that says in a sentence what is wrong.
 */
export async function startEmbeddedPostgres({ dataDir, settings = {}, log = () => {} }: Options): Promise<EmbeddedPostgres> {
  const dir = writableDir(dataDir);
  refuseForeignCluster(dir);
  const users = join(dir, "postgres.users");
  const turn = await takeTurn(dir);
  let use: ProcessLock | null = null;
  try {
    const isFirst = nobodyHolds(users);
    use = tryShareLock(users);
    if (use === null) throw new Error(`${users} is locked by something that is not this service.`);
    const home = preparePostgresHome(dir, log);
    await createCluster(home, settings);
    const server = { home, settings, logFile: join(dir, "postgres.log"), portFile: join(dir, "postgres.port") };
    const url = await startAnswering(server, isFirst);
    return inUse(dir, server, url, use, log);
  } catch (error) {
    use?.release();
    throw error;
  } finally {
    turn.release();
  }
}

/** Where a server is and how it is started. */
type Server = {
  readonly home: PostgresHome;
  readonly settings: ServerSettings;
  readonly logFile: string;
  readonly portFile: string;
};

/** Starting, joining and stopping happen one at a time. */
async function takeTurn(dir: string): Promise<ProcessLock> {
  const turn = await waitFor(() => tryLock(join(dir, "postgres.lock")), TURN_TIMEOUT_MS);
  if (turn !== null) return turn;
  throw new StartupError(`Another process has been starting or stopping the database of ${dir} for ${TURN_TIMEOUT_MS / 1000} s.`);
}

function nobodyHolds(path: string): boolean {
  const lock = tryLock(path);
  lock?.release();
  return lock !== null;
}

function inUse(dir: string, server: Server, url: string, use: ProcessLock, log: (line: string) => void): EmbeddedPostgres {
  const leaving = new AbortController();
  const watching = watch(dir, server, leaving.signal, log);
  const stop = async () => {
    leaving.abort();
    await watching;
    const turn = await takeTurn(dir).catch(() => null);
    use.release();
    try {
      if (turn !== null && nobodyHolds(join(dir, "postgres.users"))) await shutDownPostgres(clusterDirOf(server.home.dir));
    } finally {
      turn?.release();
    }
  };
  let stopped: Promise<void> | undefined;
  return { url, stop: () => (stopped ??= stop()) };
}

/** Starts the server anew, on its port, when it has died under those who use it. */
async function watch(dir: string, server: Server, leaving: AbortSignal, log: (line: string) => void): Promise<void> {
  for (;;) {
    await delay(WATCH_MS, undefined, { signal: leaving, ref: false }).catch(() => undefined);
    if (leaving.aborted) return;
    const isGone = () => findPostmaster(clusterDirOf(server.home.dir)) === null;
    if (!isGone()) continue;
    const turn = tryLock(join(dir, "postgres.lock"));
    if (turn === null) continue;
    try {
      // Another of its users may have been quicker.
      if (!isGone()) continue;
      log(`PostgreSQL has ended without being asked to; its last words are in ${server.logFile}.before. It is started anew.`);
      await startAnswering(server, false);
    } catch (error) {
      log((error as Error).message);
    } finally {
      turn.release();
    }
  }
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

/** Brings the server to where it answers, whatever was left: nothing, a running one, or one that is just stopping. */
async function startAnswering({ home, settings, logFile, portFile }: Server, mayMove: boolean): Promise<string> {
  const deadline = performance.now() + ANSWER_TIMEOUT_MS;
  for (;;) {
    if (findPostmaster(clusterDirOf(home.dir)) === null) await launchPostgres(home, { logFile, portFile, mayMove }, settings);
    const url = urlOf(home.dir, DATABASE);
    let failure = await failureOf(url);
    if (codeOf(failure) === DATABASE_MISSING)
      failure = await failureOf(urlOf(home.dir, "postgres"), `CREATE DATABASE ${DATABASE}`);
    if (failure === null) return url;
    if (!TRANSIENT.has(codeOf(failure)) || performance.now() > deadline)
      throw new StartupError(`The PostgreSQL of ${home.dir} runs but does not answer: ${failure.message}.`, { cause: failure });
    await delay(RETRY_MS);
  }
}

function urlOf(homeDir: string, database: string): string {
  const port = findPostmaster(clusterDirOf(homeDir))?.port ?? 0;
  return `postgresql://postgres:${passwordOf(homeDir)}@127.0.0.1:${port}/${database}`;
}

async function failureOf(url: string, statement = "SELECT 1"): Promise<Error | null> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  // A server that stops between two steps is reported by the step that fails.
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

function codeOf(failure: Error | null): string {
  return String((failure as { code?: unknown } | null)?.code);
}
