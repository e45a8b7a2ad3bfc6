import { execFile, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { StartupError } from "../startup-error.ts";
import type { PostgresHome } from "./postgres-home.ts";
import { waitFor } from "../wait-for.ts";

/** The first process of a running PostgreSQL. */
export type Postmaster = { readonly pid: number; readonly port: number; readonly ready: boolean };
export type ServerSettings = Readonly<Record<string, string>>;

const ATTEMPTS = 5;
const START_TIMEOUT_MS = 60_000;
const FAST_SHUTDOWN_TIMEOUT_MS = 10_000;
const IMMEDIATE_SHUTDOWN_TIMEOUT_MS = 10_000;
const TRANSIENT = /could not create any TCP\/IP sockets|shared memory block .* is still in use/;
// Nothing of our own environment: a PGPORT or a translated message would lead us astray.
const ENVIRONMENT = { LC_ALL: "C", TZ: "UTC" };
const SETTINGS: ServerSettings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  timezone: "UTC",
  log_timezone: "UTC",
  max_connections: "200",
  // The failure of a statement is told to who sent it; the log, which nobody rotates, tells of the server's own fate.
  log_min_messages: "log",
  log_checkpoints: "off",
};

/** The cluster's folder inside a home. */
export function clusterDirOf(homeDir: string): string {
  return join(homeDir, "postgres");
}

/** The password of the cluster's superuser, made with the cluster. */
export function passwordOf(homeDir: string): string {
  return readFileSync(passwordFileOf(homeDir), "utf8").trim();
}

function passwordFileOf(homeDir: string): string {
  return join(homeDir, "postgres.password");
}

/** Makes the cluster of `home` unless it is there. A start that dies half-way leaves nothing that a later one would take for it. */
export async function createCluster(home: PostgresHome, settings: ServerSettings): Promise<void> {
  const cluster = clusterDirOf(home.dir);
  if (existsSync(cluster)) return refuseOtherVersion(cluster, home.binaries.majorVersion);
  const unfinished = `${cluster}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  const passwordFile = passwordFileOf(home.dir);
  writeFileSync(passwordFile, `${randomBytes(24).toString("base64url")}\n`, { mode: 0o600 });
  if (home.user !== undefined) for (const path of [unfinished, passwordFile]) chownSync(path, home.user.uid, home.user.gid);
  const options = [
    `--pgdata=${unfinished}`,
    `--pwfile=${passwordFile}`,
    "--username=postgres",
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--locale=C",
    "--no-instructions",
    // Whoever runs without fsync does not mean to keep the data.
    ...(settings["fsync"] === "off" ? ["--no-sync"] : []),
  ];
  try {
    await promisify(execFile)(join(home.binaries.dir, "bin", "initdb"), options, { cwd: "/", env: ENVIRONMENT, ...home.user });
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    throw new StartupError(`PostgreSQL could not make its files in ${home.dir}${reasonIn(stderr || message)}`, { cause: error });
  }
  renameSync(unfinished, cluster);
}

function refuseOtherVersion(cluster: string, expected: string): void {
  const version = readFileSync(join(cluster, "PG_VERSION"), "utf8").trim();
  if (version !== expected)
    throw new StartupError(
      `The data in ${cluster} was written by PostgreSQL ${version}, and this is PostgreSQL ${expected}; move that folder away, or dump and restore it.`,
    );
}

/** The running PostgreSQL of a cluster; null when there is none, whatever a crash has left in its files. */
export function findPostmaster(cluster: string): Postmaster | null {
  const lines = readPidFile(cluster);
  const pid = Number(lines[0]);
  // After a crash the number may meanwhile be another process's, and a zombie has no command line.
  if (!commandLineOf(pid).includes(cluster)) return null;
  return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === "ready" };
}

function readPidFile(cluster: string): string[] {
  try {
    return readFileSync(pidFileOf(cluster), "utf8").split("\n");
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return [];
    throw error;
  }
}

function pidFileOf(cluster: string): string {
  return join(cluster, "postmaster.pid");
}

function commandLineOf(pid: number): string {
  if (!(pid > 0)) return "";
  try {
    if (process.platform === "linux") return readFileSync(`/proc/${pid}/cmdline`, "utf8");
    return execFileSync("ps", ["-ww", "-o", "command=", "-p", String(pid)], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    return "";
  }
}

/** Where the server writes its log and finds its port; whether it may take another port when somebody has taken that one. */
export type ServerPlace = { readonly logFile: string; readonly portFile: string; readonly mayMove: boolean };

/** Starts PostgreSQL on the cluster of `home`, on the port that it had before, and waits until it takes connections. */
export async function launchPostgres(home: PostgresHome, place: ServerPlace, settings: ServerSettings): Promise<void> {
  const cluster = clusterDirOf(home.dir);
  // PostgreSQL believes a left-over file when any process has its number; our caller has seen that it is not PostgreSQL.
  rmSync(pidFileOf(cluster), { force: true });
  if (existsSync(place.logFile)) renameSync(place.logFile, `${place.logFile}.before`);
  let port = readPort(place.portFile) ?? (await freePort());
  for (let attempt = 1; ; attempt++) {
    const outcome = await launchOnce(home, cluster, place.logFile, port, settings);
    if (outcome === "ready") return writeFileSync(place.portFile, `${port}\n`);
    if (attempt === ATTEMPTS || !TRANSIENT.test(outcome))
      throw new StartupError(`PostgreSQL did not start in ${home.dir}${reasonIn(outcome)}`);
    if (place.mayMove) port = await freePort();
    await delay(100 * attempt);
  }
}

/** The port that the server had; null when none is written there. */
function readPort(file: string): number | null {
  const text = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  return /^[1-9]\d{3,4}$/.test(text) && Number(text) < 65_536 ? Number(text) : null;
}

async function launchOnce(
  home: PostgresHome,
  cluster: string,
  logFile: string,
  port: number,
  settings: ServerSettings,
): Promise<string> {
  const flags = Object.entries({ ...SETTINGS, ...settings }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const log = openSync(logFile, "w", 0o600);
  // A process group of its own: the terminal's Ctrl-C must reach us alone, so that we finish before the database does.
  const child = spawn(join(home.binaries.dir, "bin", "postgres"), ["-D", cluster, "-p", String(port), ...flags], {
    cwd: "/",
    env: ENVIRONMENT,
    detached: true,
    stdio: ["ignore", log, log],
    ...home.user,
  });
  closeSync(log);
  let failure: string | undefined;
  child.once("error", (error) => {
    failure ??= error.message;
  });
  const onExit = () => {
    failure ??= readFileSync(logFile, "utf8");
  };
  child.once("exit", onExit);
  child.unref();
  const ready = () => findPostmaster(cluster)?.ready === true;
  await waitFor(() => failure !== undefined || ready(), START_TIMEOUT_MS);
  child.off("exit", onExit);
  if (failure !== undefined) return failure;
  if (ready()) return "ready";
  child.kill("SIGQUIT");
  return `FATAL: it was not ready within ${START_TIMEOUT_MS / 1000} s`;
}

/** Ends PostgreSQL: at once for its clients, with nothing lost; if need be by what amounts to a crash, from which it recovers. */
export async function shutDownPostgres(cluster: string): Promise<void> {
  const pid = findPostmaster(cluster)?.pid;
  if (pid === undefined) return;
  const gone = () => findPostmaster(cluster)?.pid !== pid;
  signal(pid, "SIGINT");
  if (await waitFor(gone, FAST_SHUTDOWN_TIMEOUT_MS)) return;
  signal(pid, "SIGQUIT");
  await waitFor(gone, IMMEDIATE_SHUTDOWN_TIMEOUT_MS);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ESRCH") throw error;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done, fail) => server.once("error", fail).listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

/** The line of PostgreSQL's output that says why, as the end of a sentence; nothing when none of them is short and plain. */
function reasonIn(output: string): string {
  const line = output.split("\n").findLast((it) => /FATAL|PANIC|error:|could not|ENOENT|EACCES|EPERM/.test(it));
  const reason = line?.replace(/^.*?(FATAL|PANIC|error|initdb): */, "").trim();
  return reason === undefined || reason.length > 300 ? "." : `: ${reason.replace(/\.$/, "")}.`;
}
