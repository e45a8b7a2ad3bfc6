import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { StartupError } from "../util/startup-error.ts";
import { binariesFor, installedBinaries } from "./binaries.ts";
import { prepareHome } from "./home.ts";

/** The settings of postgresql.conf, by name. */
export type ServerSettings = Readonly<Record<string, string>>;

/** A database cluster: its files, and the options of its server. */
export type Cluster = Readonly<ReturnType<typeof openCluster>>;

export const DATABASE = "plumbline";
// Not the environment of this process: PGPORT would change the port, and a locale would translate messages that are parsed.
export const ENVIRONMENT = { LC_ALL: "C", TZ: "UTC" };

/** Describes the cluster of a data directory. The cluster may not exist yet. */
export function openCluster(dataDir: string, settings: ServerSettings, log: (line: string) => void) {
  const installed = installedBinaries();
  const { dir: home, user } = prepareHome(dataDir, log);
  return {
    dir: join(home, "postgres"),
    /** Contains the password of the superuser `postgres`, which is created with the cluster. */
    passwordFile: join(home, "postgres.password"),
    logFile: join(dataDir, "postgres.log"),
    binaries: user === undefined ? installed : binariesFor(user, installed),
    /** The user that the server runs as, or undefined for the user of this process. */
    user,
    settings,
  };
}

/** Creates the cluster unless it exists. It is renamed at the end, so an interrupted start leaves no incomplete cluster. */
export async function createCluster({ dir, passwordFile, binaries, user, settings }: Cluster): Promise<void> {
  if (existsSync(dir)) {
    const [majorVersion] = binaries.version.split(".");
    const version = readFileSync(join(dir, "PG_VERSION"), "utf8").trim();
    if (version === majorVersion) return;
    throw new StartupError(
      `The data in ${dir} was written by PostgreSQL ${version}, and this is PostgreSQL ${majorVersion}; move that folder away, or dump and restore it.`,
    );
  }
  const unfinished = `${dir}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  writeFileSync(passwordFile, `${randomBytes(24).toString("base64url")}\n`, { mode: 0o600 });
  if (user !== undefined) for (const path of [unfinished, passwordFile]) chownSync(path, user.uid, user.gid);
  // A server without fsync can lose its data in a power failure anyway.
  const isDurable = settings["fsync"] !== "off";
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
    ...(isDurable ? [] : ["--no-sync"]),
  ];
  const program = (name: string) => join(binaries.dir, "bin", name);
  const context = { cwd: "/", env: ENVIRONMENT, ...user };
  try {
    await promisify(execFile)(program("initdb"), options, context);
    const single = ["--single", "-D", unfinished, "-c", `fsync=${isDurable}`, "-c", "exit_on_error=on", "postgres"];
    const creation = promisify(execFile)(program("postgres"), single, context);
    // If the process cannot read its input, its exit status has the reason.
    creation.child.stdin?.on("error", () => {}).end(`CREATE DATABASE ${DATABASE}`);
    await creation;
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    throw new StartupError(`PostgreSQL could not create its files in ${dir}${reasonIn(stderr || message)}`, { cause: error });
  }
  renameSync(unfinished, dir);
}

/** The last error of PostgreSQL's output, as the end of a sentence; only a full stop without one, or if it is long. */
export function reasonIn(output: string): string {
  const line = output.split("\n").findLast((it) => /FATAL|PANIC|error:|in time|ENOENT|EACCES|EPERM/.test(it));
  const reason = line?.replace(/^.*?(FATAL|PANIC|error|initdb|pg_ctl): */, "").trim();
  return reason === undefined || reason.length > 300 ? "." : `: ${reason.replace(/\.$/, "")}.`;
}
