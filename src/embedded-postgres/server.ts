import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { StartupError } from "../util/startup-error.ts";
import { ENVIRONMENT, reasonIn, type Cluster, type ServerSettings } from "./cluster.ts";

const ATTEMPTS = 5;
const START_TIMEOUT_SECONDS = 60;
const SHUTDOWN_TIMEOUT_SECONDS = 10;
const TRANSIENT = /could not create any TCP\/IP sockets|shared memory block .* is still in use/;
const SETTINGS: ServerSettings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  timezone: "UTC",
  log_timezone: "UTC",
  max_connections: "200",
  // Only messages about the server itself, because the log is not rotated. Clients get the errors of statements.
  log_min_messages: "log",
  log_checkpoints: "off",
};

const pidFileOf = (clusterDir: string) => join(clusterDir, "postmaster.pid");

/** The postmaster of a running server, or null. A crash can leave the PID file of a dead one. */
export function findPostmaster(clusterDir: string) {
  const lines = readIfThere(pidFileOf(clusterDir)).split("\n");
  const pid = Number(lines[0]);
  // After a crash, another process can have the same id. A zombie has no command line.
  if (!commandLineOf(pid).includes(clusterDir)) return null;
  return { pid, port: Number(lines[3]), isReady: lines[7]?.trim() === "ready" };
}

/** The text of a file, or "" without one. PostgreSQL can remove the file at any time. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return "";
    throw error;
  }
}

function commandLineOf(pid: number): string {
  if (!(pid > 0)) return "";
  try {
    if (process.platform === "linux") return readFileSync(`/proc/${pid}/cmdline`, "utf8");
    const options = ["-ww", "-o", "command=", "-p", String(pid)];
    return execFileSync("ps", options, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return "";
  }
}

/** Starts PostgreSQL on its previous port, and waits until it accepts connections. With `mayMove`, it can use another port. */
export async function launchPostgres(cluster: Cluster, mayMove: boolean): Promise<void> {
  const { dir, logFile, settings } = cluster;
  // PostgreSQL refuses to start if any process has the id in a stale file. It is not PostgreSQL, as its start has checked.
  rmSync(pidFileOf(dir), { force: true });
  if (existsSync(logFile)) renameSync(logFile, `${logFile}.before`);
  const flags = Object.entries({ ...SETTINGS, ...settings }).map(([name, value]) => `-c ${name}=${quoted(value)}`);
  let port = lastPort(dir) ?? (await freePort());
  for (let attempt = 1; ; attempt++) {
    const options = ["-D", quoted(dir), "-p", port, ...flags].join(" ");
    const failure = await pgCtl(cluster, "start", `--timeout=${START_TIMEOUT_SECONDS}`, `--options=${options}`);
    if (failure === null) return;
    // The server may still be starting.
    await shutDownPostgres(cluster);
    const reason = reasonIn(failure);
    if (attempt === ATTEMPTS || !TRANSIENT.test(reason)) throw new StartupError(`PostgreSQL did not start in ${dir}${reason}`);
    if (mayMove) port = await freePort();
    await delay(100 * attempt);
  }
}

/** The port of the last successful start, from the data directory of PostgreSQL. */
function lastPort(clusterDir: string): string | undefined {
  return /"-p" "(\d+)"/.exec(readIfThere(join(clusterDir, "postmaster.opts")))?.[1];
}

/** Stops PostgreSQL and closes its connections, by an immediate shutdown if necessary. */
export async function shutDownPostgres(cluster: Cluster): Promise<void> {
  for (const mode of ["fast", "immediate"])
    if (findPostmaster(cluster.dir) !== null)
      await pgCtl(cluster, "stop", `--mode=${mode}`, `--timeout=${SHUTDOWN_TIMEOUT_SECONDS}`);
}

/**
 * Runs `pg_ctl`, which waits for the server. Returns null, or the log after a failure. The server has a separate session, because Ctrl-C must
 * not stop it before this process.
 */
async function pgCtl({ dir, logFile, binaries, user }: Cluster, ...args: string[]): Promise<string | null> {
  // Only a start needs the log, and a user who stops the server of root can't open it.
  const log = openSync(args[0] === "start" ? logFile : "/dev/null", "a", 0o600);
  const child = spawn(join(binaries.dir, "bin", "pg_ctl"), [...args, "--silent"], {
    cwd: "/",
    env: { ...ENVIRONMENT, PGDATA: dir },
    detached: true,
    stdio: ["ignore", log, log],
    ...user,
  });
  closeSync(log);
  try {
    const [exitCode] = (await once(child, "exit")) as [number | null];
    return exitCode === 0 ? null : readFileSync(logFile, "utf8");
  } catch (error) {
    return (error as Error).message;
  }
}

/** Quotes a word for the shell that `pg_ctl` uses to start the server. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

async function freePort(): Promise<number> {
  await using server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
