import { accessSync, constants, mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { StartupError } from "../startup-error.ts";
import { preparePostgresHome, refuseForeignCluster, type PostgresHome } from "./postgres-home.ts";
import { homeDirOf } from "./postgres-relocation.ts";
import {
  clusterDirOf,
  createCluster,
  findPostmaster,
  launchPostgres,
  passwordOf,
  shutDownPostgres,
  type ServerSettings,
} from "./postgres-server.ts";
import { tryLock, type ProcessLock } from "./process-lock.ts";
import { waitFor } from "./wait-for.ts";

export type EmbeddedPostgres = {
  /** Of the database `plumbline`. */
  readonly url: string;
  /** Ends PostgreSQL, if it was this start that began or took it over; leaves it running for whoever did. */
  stop(): Promise<void>;
};

type Options = { readonly dataDir: string; readonly settings?: ServerSettings; readonly log?: (line: string) => void };

const DATABASE = "plumbline";
const JOIN_TIMEOUT_MS = 60_000;
const ANSWER_TIMEOUT_MS = 15_000;
const RETRY_MS = 20;
const CONNECT_TIMEOUT_MS = 5_000;
const DATABASE_MISSING = "3D000";
// It is still starting, already stopping, or gone.
const TRANSIENT = new Set(["ECONNREFUSED", "ECONNRESET", "57P01", "57P03"]);

/**
 * Starts, or joins, the PostgreSQL of `dataDir`. Whoever holds the lock in there owns the server: starts it, or takes
 * over the one that a killed owner has left running, and stops it. Everybody else is a guest. `settings` are those of
 * postgresql.conf and hold when it is us who start it. Throws a StartupError that says in a sentence what is wrong.
 */
export async function startEmbeddedPostgres({ dataDir, settings = {}, log = () => {} }: Options): Promise<EmbeddedPostgres> {
  const dir = writableDir(dataDir);
  refuseForeignCluster(dir);
  const joined = await waitFor(async () => {
    const lock = tryLock(join(dir, "postgres.lock"));
    return lock === null ? joinAsGuest(dir) : startAsOwner(dir, lock, settings, log);
  }, JOIN_TIMEOUT_MS);
  if (joined === null)
    throw new StartupError(
      `Another process has been starting or stopping the database of ${dir} for ${JOIN_TIMEOUT_MS / 1000} s.`,
    );
  return joined;
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

async function startAsOwner(
  dataDir: string,
  lock: ProcessLock,
  settings: ServerSettings,
  log: (line: string) => void,
): Promise<EmbeddedPostgres> {
  try {
    const home = preparePostgresHome(dataDir, log);
    await createCluster(home, settings);
    const url = await startAnswering(home, join(dataDir, "postgres.log"), settings);
    const stop = () => shutDownPostgres(clusterDirOf(home.dir)).finally(() => lock.release());
    let stopped: Promise<void> | undefined;
    return { url, stop: () => (stopped ??= stop()) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Brings the server to where it answers, whatever the last owner has left: nothing, a running one, or one that is just stopping. */
async function startAnswering(home: PostgresHome, logFile: string, settings: ServerSettings): Promise<string> {
  const deadline = performance.now() + ANSWER_TIMEOUT_MS;
  for (;;) {
    if (findPostmaster(clusterDirOf(home.dir)) === null) await launchPostgres(home, logFile, settings);
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

/** Null as long as the owner is still starting it, or stopping it. */
async function joinAsGuest(dataDir: string): Promise<EmbeddedPostgres | null> {
  const homeDir = homeDirOf(dataDir);
  if (findPostmaster(clusterDirOf(homeDir))?.ready !== true) return null;
  const url = urlOf(homeDir, DATABASE);
  return (await failureOf(url)) === null ? { url, stop: async () => {} } : null;
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
