import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";

/** Runs a command, shows its output, and returns its exit code or signal. */
export type Run = (command: readonly string[]) => Promise<number | string>;

/** The machine on which the steps run. */
export type Machine = {
  readonly isRoot: boolean;
  /** The environment of the commands, to which a step can add. */
  readonly environment: NodeJS.ProcessEnv;
  /** A folder for programs, which every user can read. */
  readonly programs: string;
  /** Runs a command in the checkout, as the user of this process. */
  readonly run: Run;
  /** Runs commands as an ordinary user, in a copy of this commit after `npm ci`. The copy is made once. */
  asOrdinaryUser(): Promise<Run>;
  warn(warning: string): void;
  readonly warnings: readonly string[];
  isStopped(): boolean;
};

const USER = "plumbline-ci";

/**
 * A machine with this checkout. `signal` ends the command that is running. `results` is the folder for the results of ordinary
 * users.
 */
export function openMachine(root: string, results: string, signal: AbortSignal, stack: DisposableStack): Machine {
  const environment = { ...process.env };
  const warnings: string[] = [];
  const folder = (name: string) => stack.adopt(publicFolder(name), (it) => rmSync(it, { recursive: true, force: true }));
  const runIn =
    (cwd: string, prefix: readonly string[] = []): Run =>
    (command) =>
      execute([...prefix, ...command], cwd, environment, signal);
  const isRoot = userInfo().uid === 0;
  let copied: Promise<Run> | undefined;
  const copy = async () => {
    const checkout = join(folder("checkout"), "plumbline");
    execFileSync("git", ["clone", "--quiet", root, checkout], { stdio: "inherit" });
    const run = runIn(checkout, isRoot ? ordinaryUser(checkout, results) : []);
    const installed = await run(["npm", "ci"]);
    if (installed !== 0) throw new Error(`npm ci in a copy of this commit: ${installed}`);
    return run;
  };
  return {
    isRoot,
    environment,
    programs: folder("programs"),
    run: runIn(root),
    asOrdinaryUser: () => (copied ??= copy()),
    warn: (warning) => {
      console.log(`WARNING: ${warning}`);
      warnings.push(warning);
    },
    warnings,
    isStopped: () => signal.aborted,
  };
}

function publicFolder(name: string): string {
  const path = mkdtempSync(join(tmpdir(), `plumbline-ci-${name}-`));
  chmodSync(path, 0o755);
  return path;
}

/** Gives both folders to an ordinary user, and creates it if it is missing. Returns the prefix of commands of that user. */
function ordinaryUser(...folders: readonly string[]): string[] {
  const read = (command: string, ...options: string[]) => execFileSync(command, options, { encoding: "utf8" }).trim();
  try {
    execFileSync("id", [USER], { stdio: "ignore" });
  } catch {
    read("useradd", "--create-home", USER);
  }
  const home = read("getent", "passwd", USER).split(":")[5]!;
  read("chown", "-R", `${USER}:`, ...folders);
  // This user can't read the npm cache of root, but needs its npm settings.
  const settings = read("npm", "config", "get", "userconfig");
  if (existsSync(settings)) read("install", "-m", "600", "-o", USER, settings, join(home, ".npmrc"));
  // No TMPDIR of its own, because the tests must pass with files of root in /tmp.
  return [
    ...["setpriv", `--reuid=${USER}`, `--regid=${USER}`, "--init-groups", "--no-new-privs"],
    ...["env", `HOME=${home}`, `USER=${USER}`, `LOGNAME=${USER}`, `XDG_CACHE_HOME=${join(home, ".cache")}`],
  ];
}

/** Runs a command as a group of processes, so that a signal reaches all of them. */
async function execute([program = "", ...options]: readonly string[], cwd: string, env: NodeJS.ProcessEnv, signal: AbortSignal) {
  const child = spawn(program, options, { cwd, env, stdio: ["ignore", "inherit", "inherit"], detached: true });
  const stop = () => child.pid !== undefined && child.exitCode === null && process.kill(-child.pid, "SIGTERM");
  signal.addEventListener("abort", stop, { once: true });
  try {
    const [code, ended] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    return code ?? `ended by ${ended}`;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
