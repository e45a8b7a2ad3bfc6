import { execFileSync, spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { StartupError } from "../startup-error.ts";
import { waitFor } from "../wait-for.ts";
import { ENVIRONMENT, reasonIn, type Cluster, type ServerSettings } from "./cluster.ts";

const ATTEMPTS = 5;
const START_TIMEOUT_MS = 60_000;
const SHUTDOWN_TIMEOUT_MS = 10_000;
const TRANSIENT = /could not create any TCP\/IP sockets|shared memory block .* is still in use/;
const SETTINGS: ServerSettings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  timezone: "UTC",
  log_timezone: "UTC",
  max_connections: "200",
  // A client is told why its statement failed; the log, which nothing rotates, is about the server itself.
  log_min_messages: "log",
  log_checkpoints: "off",
};

const pidFileOf = (clusterDir: string) => join(clusterDir, "postmaster.pid");

/** The first process of a cluster's running PostgreSQL; null if there is none, whatever a crash has left in its files. */
export function findPostmaster(clusterDir: string) {
  const lines = readIfThere(pidFileOf(clusterDir)).split("\n");
  const pid = Number(lines[0]);
  // After a crash, another process may have got the number; a zombie has no command line.
  if (!commandLineOf(pid).includes(clusterDir)) return null;
  return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === "ready" };
}

/** The text of a file, or nothing if it is not there; PostgreSQL may remove it at any moment. */
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

/**
 * Starts PostgreSQL on the port that it had before, and waits until it takes connections. If that port is taken, it uses
 * another one when it `mayMove`.
 */
export async function launchPostgres(cluster: Cluster, mayMove: boolean): Promise<void> {
  const { dir, logFile, portFile } = cluster;
  // PostgreSQL believes a stale file if any process has its number; the caller has checked that it is not PostgreSQL.
  rmSync(pidFileOf(dir), { force: true });
  if (existsSync(logFile)) renameSync(logFile, `${logFile}.before`);
  let port = readPort(portFile) ?? (await freePort());
  for (let attempt = 1; ; attempt++) {
    const failure = await launchOnce(cluster, port);
    if (failure === null) return writeFileSync(portFile, `${port}\n`);
    if (attempt === ATTEMPTS || !TRANSIENT.test(failure))
      throw new StartupError(`PostgreSQL did not start in ${dir}${reasonIn(failure)}`);
    if (mayMove) port = await freePort();
    await delay(100 * attempt);
  }
}

/** The port in the file; null if there is none. */
function readPort(file: string): number | null {
  const text = readIfThere(file).trim();
  return /^[1-9]\d{3,4}$/.test(text) && Number(text) < 65_536 ? Number(text) : null;
}

/** Starts PostgreSQL and returns its output if that fails; null when it is ready. */
async function launchOnce({ dir, logFile, binaries, user, settings }: Cluster, port: number): Promise<string | null> {
  const flags = Object.entries({ ...SETTINGS, ...settings }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const log = openSync(logFile, "w", 0o600);
  // In a process group of its own: the terminal's Ctrl-C must reach only us, because we finish before the database does.
  const child = spawn(join(binaries.dir, "bin", "postgres"), ["-D", dir, "-p", String(port), ...flags], {
    cwd: "/",
    env: ENVIRONMENT,
    detached: true,
    stdio: ["ignore", log, log],
    ...user,
  });
  closeSync(log);
  let spawnError: Error | null = null;
  child.once("error", (error) => {
    spawnError = error;
  });
  child.unref();
  const isOver = () => spawnError !== null || child.exitCode !== null || child.signalCode !== null;
  const isReady = () => findPostmaster(dir)?.ready === true;
  await waitFor(() => isOver() || isReady(), START_TIMEOUT_MS);
  if (isOver()) return (spawnError as Error | null)?.message ?? readFileSync(logFile, "utf8");
  if (isReady()) return null;
  child.kill("SIGQUIT");
  return `FATAL: it was not ready within ${START_TIMEOUT_MS / 1000} s`;
}

/** Ends PostgreSQL and its connections; nothing that was committed is lost, even if it has to be an immediate shutdown. */
export async function shutDownPostgres(clusterDir: string): Promise<void> {
  const pid = findPostmaster(clusterDir)?.pid;
  if (pid === undefined) return;
  for (const signal of ["SIGINT", "SIGQUIT"] as const) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as { code?: unknown }).code !== "ESRCH") throw error;
    }
    if (await waitFor(() => findPostmaster(clusterDir)?.pid !== pid, SHUTDOWN_TIMEOUT_MS)) return;
  }
}

async function freePort(): Promise<number> {
  await using server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
