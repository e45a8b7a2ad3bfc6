/** Runs a command that reads uploaded files in a sandbox of the operating system. Only Linux has one. */
import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { runChild, type ChildEnd, type ChildOptions } from "./child-process.ts";
import { UNPRIVILEGED_USER, type User } from "./file-access.ts";
import type { MediaLimits } from "./limits.ts";

export type Supervision = Omit<ChildOptions, "command" | "args" | "user" | "niceness">;

/** The tools of util-linux that work on this machine, as prefixes of the command. */
export type Sandbox = {
  /** setpriv, so that the child ends with the service, then prlimit for resource limits: last, because more options follow. */
  readonly prlimit: readonly string[] | null;
  /** An empty network namespace. */
  readonly unshare: readonly string[] | null;
  /** The user that the child runs as, instead of root. Without setpriv, Node changes the user. */
  readonly user: User | null;
  /** For the log. */
  readonly active: readonly string[];
  readonly missing: readonly string[];
};

/** The default folders to search for programs. */
export const DEFAULT_FOLDERS = ["/usr/local/bin", "/usr/bin", "/bin", "/opt/homebrew/bin"];
const OPEN_FILES_MAX = 256;
const SETPRIV_ARGS = ["--no-new-privs", "--pdeathsig", "KILL"];

/** Tries each tool once with a command, because containers often forbid some of them. */
export function findSandbox(command: readonly string[], { withoutNetwork }: { readonly withoutNetwork: boolean }): Sandbox {
  const [setprivPath, prlimitPath, unsharePath] = [find("setpriv"), find("prlimit"), find("unshare")];
  const prlimitAs = (user: User | null): readonly string[] | null => {
    if (setprivPath === undefined || prlimitPath === undefined) return null;
    const tools = [setprivPath, ...SETPRIV_ARGS, ...(user === null ? [] : setprivArgsFor(user)), "--", prlimitPath];
    return works([...tools, "--core=0", "--", ...command]) ? tools : null;
  };
  const asUser = prlimitAs(UNPRIVILEGED_USER);
  // If the user can't be changed, or can't execute the command, the limits are still useful.
  const user = asUser !== null || works(command, UNPRIVILEGED_USER) ? UNPRIVILEGED_USER : null;
  const prlimit = asUser ?? (user === null ? prlimitAs(null) : null);
  const spawnUser = prlimit === null ? user : null;
  // A non-root user needs a user namespace first. The child has the same user id there and gains no rights.
  const isRoot = process.getuid?.() === 0 && spawnUser === null;
  const unshare = [unsharePath ?? "", ...(isRoot ? [] : ["--map-current-user"]), "--net", "--"];
  const limited = prlimit === null ? command : [...prlimit, "--core=0", "--", ...command];
  const canUnshare = withoutNetwork && unsharePath !== undefined && works([...unshare, ...limited], spawnUser);
  const parts: readonly (readonly [name: string, isActive: boolean])[] = [
    ["resource limits (prlimit)", prlimit !== null],
    ["no new privileges, and dies with the service (setpriv)", prlimit !== null],
    ...(withoutNetwork ? [["no network (unshare)", canUnshare] as const] : []),
    ...(UNPRIVILEGED_USER === null ? [] : [["not as root, and without capabilities", user !== null] as const]),
  ];
  return {
    prlimit,
    unshare: canUnshare ? unshare : null,
    user,
    active: parts.filter(([, isActive]) => isActive).map(([name]) => name),
    missing: parts.filter(([, isActive]) => !isActive).map(([name]) => name),
  };
}

/** Whether a program exists and this process may run it. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const find = (name: string): string | undefined =>
  process.platform === "linux" ? DEFAULT_FOLDERS.map((folder) => join(folder, name)).find(isExecutable) : undefined;

const works = ([program = "", ...args]: readonly string[], user: User | null = null): boolean =>
  spawnSync(program, args, { env: {}, timeout: 5_000, ...user }).status === 0;

/** Changes the user, and drops supplementary groups and all capabilities permanently. */
const setprivArgsFor = ({ uid, gid }: User): readonly string[] =>
  `--reuid=${uid} --regid=${gid} --clear-groups --inh-caps=-all --ambient-caps=-all --bounding-set=-all`.split(" ");

/** Runs a command in the sandbox. `memory` has the options of prlimit that limit its memory. */
export function runInSandbox(
  { prlimit, unshare, user }: Sandbox,
  memory: readonly string[],
  command: readonly string[],
  limits: MediaLimits,
  supervision: Supervision,
): Promise<ChildEnd> {
  // In addition to the timers of the supervisor: the total processor time of all threads.
  const cpuSeconds = Math.ceil(supervision.timeoutMs / 1000) * (limits.threads + 1);
  const bounds = [
    ...memory,
    `--cpu=${cpuSeconds}`,
    `--fsize=${limits.outputMaxBytes}`,
    `--nofile=${OPEN_FILES_MAX}`,
    "--core=0",
    "--",
  ];
  const [program, ...args] = [...(unshare ?? []), ...(prlimit === null ? [] : [...prlimit, ...bounds]), ...command];
  if (program === undefined) throw new Error("an empty command");
  const { niceness } = limits;
  return runChild({ ...supervision, niceness, command: program, args, user: prlimit === null ? (user ?? undefined) : undefined });
}
