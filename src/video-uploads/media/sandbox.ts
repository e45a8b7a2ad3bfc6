/** What the operating system can put around a command that reads strangers' files. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { runChild, type ChildEnd, type ChildOptions } from "./child-process.ts";
import { customaryFolders, isExecutable } from "./executables.ts";
import { unprivileged, type User } from "./unprivileged-user.ts";
import type { MediaLimits } from "./limits.ts";

export type Supervision = Omit<ChildOptions, "command" | "args" | "env">;

/** What confines an engine, in words for the log. */
export type Confinement = {
  readonly holds: readonly string[];
  /** What this machine does not have or does not allow, of what confines an engine elsewhere. */
  readonly lacks: readonly string[];
  /** Whether there are limits of the operating system at all; the supervisor's timers are there always. */
  readonly isLimited: boolean;
};

/** What of util-linux works here, to be put before a command. */
export type Walls = {
  /** Limits of resources, and a child that dies with us: setpriv and then prlimit, which takes more. */
  readonly limiters: readonly string[] | null;
  /** A network of the child's own, in which there is nothing. */
  readonly netless: readonly string[] | null;
  /** Whom the child runs as, instead of root. */
  readonly user: User | null;
  /** The same where it is us who change, for want of setpriv. */
  readonly spawnedAs: User | null;
};

const openFilesMax = 256;
const setprivArgs = ["--no-new-privs", "--pdeathsig", "KILL"] as const;
const limitsOfResources = "limits of resources (prlimit)";
const noNewPrivileges = "no new privileges, and dies with the service (setpriv)";
export const noNetwork = "no network (unshare)";
const notRoot = "not as root, and without capabilities";

/** Only Linux has them, and containers often forbid the last: each is tried once, around the program it is for. */
export function findWalls(command: readonly string[]): Walls {
  const find = (name: string) =>
    process.platform === "linux" ? customaryFolders.map((folder) => join(folder, name)).find(isExecutable) : undefined;
  const works = ([program = "", ...args]: readonly string[], user: User | null = null) =>
    spawnSync(program, args, { env: {}, timeout: 5_000, ...user }).status === 0;
  const [setprivPath, prlimitPath, unsharePath] = [find("setpriv"), find("prlimit"), find("unshare")];
  const limitersFor = (user: User | null): readonly string[] | null => {
    if (setprivPath === undefined || prlimitPath === undefined) return null;
    const limiters = [setprivPath, ...setprivArgs, ...(user === null ? [] : becoming(user)), "--", prlimitPath];
    return works([...limiters, "--core=0", "--", ...command]) ? limiters : null;
  };
  const asUser = limitersFor(unprivileged);
  // Without setpriv it is us who change; where that is forbidden, or the program out of reach, limits are still limits.
  const user = asUser !== null || works(command, unprivileged) ? unprivileged : null;
  const limiters = asUser ?? (user === null ? limitersFor(null) : null);
  const spawnedAs = limiters === null ? user : null;
  // A user other than root needs a namespace of users for it, keeps its id there, and gains no rights.
  const isRoot = process.getuid?.() === 0 && spawnedAs === null;
  const netless = [unsharePath ?? "", ...(isRoot ? [] : ["--map-current-user"]), "--net", "--"];
  const behind = limiters === null ? command : [...limiters, "--core=0", "--", ...command];
  const isNetless = unsharePath !== undefined && works([...netless, ...behind], spawnedAs);
  return { limiters, netless: isNetless ? netless : null, user, spawnedAs };
}

/** For setpriv: another user, in no other group, who has no capabilities and can never have any. */
const becoming = ({ uid, gid }: User): readonly string[] => [
  `--reuid=${uid}`,
  `--regid=${gid}`,
  "--clear-groups",
  "--inh-caps=-all",
  "--ambient-caps=-all",
  "--bounding-set=-all",
];

/** The walls in words, with what else there is. */
export function confinementBy({ limiters, user }: Walls, { holds = [], lacks = [] }: Partial<Confinement>): Confinement {
  const limits = [limitsOfResources, noNewPrivileges];
  const asUser = unprivileged === null ? {} : user === null ? { lacks: [notRoot] } : { holds: [notRoot] };
  const more = { holds: [...holds, ...(asUser.holds ?? [])], lacks: [...lacks, ...(asUser.lacks ?? [])] };
  return limiters === null
    ? { holds: more.holds, lacks: [...limits, ...more.lacks], isLimited: false }
    : { holds: [...limits, ...more.holds], lacks: more.lacks, isLimited: true };
}

/** Puts the operating system's own limits around a command, where there are any. */
export function confined(
  { limiters, netless, spawnedAs }: Walls,
  memory: readonly string[],
  command: readonly string[],
  limits: MediaLimits,
  supervision: Supervision,
): Promise<ChildEnd> {
  // A second line behind the supervisor's timers: processor time in all threads together.
  const cpuSeconds = Math.ceil(supervision.timeoutMs / 1000) * (limits.threads + 1);
  const [program, ...args] = [
    ...(netless ?? []),
    ...(limiters === null
      ? []
      : [
          ...limiters,
          ...memory,
          `--cpu=${cpuSeconds}`,
          `--fsize=${limits.outputMaxBytes}`,
          `--nofile=${openFilesMax}`,
          "--core=0",
          "--",
        ]),
    ...command,
  ];
  if (program === undefined) throw new Error("an empty command");
  return runChild({ ...supervision, command: program, args, ...(spawnedAs === null ? {} : { user: spawnedAs }) });
}
