/** Which ffmpeg does the work: a native one where there is one, else the wasm build from npm. */
import { spawnSync } from "node:child_process";
import { accessSync, constants, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { chmod, chown, stat } from "node:fs/promises";
import { delimiter, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { runChild } from "./child.ts";
import type { ChildEnd, ChildOptions } from "./child.ts";
import type { MediaLimits } from "./limits.ts";
import type { WasmOrder } from "./wasm-host.ts";

export type ToolUse = {
  readonly tool: "ffmpeg" | "ffprobe";
  readonly args: readonly string[];
  /** Absolute paths the command may read. The wasm engine can open nothing else. */
  readonly reads: readonly string[];
  /** Absolute paths the command may write. The wasm engine can open nothing else. */
  readonly writes: readonly string[];
  readonly limits: MediaLimits;
};

export type Supervision = Omit<ChildOptions, "command" | "args" | "env">;

export type Engine = {
  readonly kind: "native" | "wasm";
  /** For the log: what was found, and where. */
  readonly description: string;
  readonly confinement: Confinement;
  /** Runs one command to its end in a process of its own, with nothing but its files. */
  run(use: ToolUse, supervision: Supervision): Promise<ChildEnd>;
};

/** What confines an engine, in words for the log. */
export type Confinement = {
  readonly holds: readonly string[];
  /** What this machine does not have or does not allow, of what confines an engine elsewhere. */
  readonly lacks: readonly string[];
  /** Whether there are limits of the operating system at all; the supervisor's timers are there always. */
  readonly isLimited: boolean;
};

export type EngineChoice = {
  readonly mode: "auto" | "native" | "wasm";
  /** The ffmpeg to take, with ffprobe beside it. Named but unusable is an error, never a silent change of engine. */
  readonly ffmpegPath?: string | undefined;
  /** The PATH to look in; the customary folders when it is absent or names none. */
  readonly searchPath?: string | undefined;
};

const customaryFolders = ["/usr/local/bin", "/usr/bin", "/bin", "/opt/homebrew/bin"];
const executableSuffix = process.platform === "win32" ? ".exe" : "";
const openFilesMax = 256;

/** Finds the engine, once, at start-up; throws with the reason when there is none of the kind asked for. */
export function findEngine({ mode, ffmpegPath, searchPath }: EngineChoice): Engine {
  if (mode === "wasm") return wasmEngine();
  const named = (searchPath ?? "").split(delimiter).filter((folder) => folder !== "");
  const folders = named.length === 0 ? customaryFolders : named;
  const candidates = ffmpegPath === undefined ? folders.map((folder) => join(folder, `ffmpeg${executableSuffix}`)) : [ffmpegPath];
  const reasons: string[] = [];
  for (const candidate of candidates.filter((path) => ffmpegPath !== undefined || isExecutable(path))) {
    const fault = faultOf(candidate);
    if (fault === null) return nativeEngine(candidate);
    reasons.push(`${candidate}: ${fault}`);
  }
  if (ffmpegPath !== undefined || mode === "native") {
    throw new Error(`no native media engine: ${reasons.join("; ") || "ffmpeg was not found"}`);
  }
  return wasmEngine();
}

/** Null when this ffmpeg can do all we ask of it; some distributions leave out the H.264 encoder. */
function faultOf(ffmpegPath: string): string | null {
  if (!isExecutable(ffmpegPath)) return "not an executable file";
  if (!isExecutable(probePathBeside(ffmpegPath))) return "no ffprobe beside it";
  const listed = spawnSync(ffmpegPath, ["-hide_banner", "-encoders"], { env: {}, timeout: 10_000, encoding: "utf8" });
  if (listed.status !== 0) return "it does not run";
  return /\blibx264\b/.test(listed.stdout) && /\baac\b/.test(listed.stdout) ? null : "it lacks libx264 or aac";
}

function nativeEngine(ffmpegPath: string): Engine {
  const tools = { ffmpeg: ffmpegPath, ffprobe: probePathBeside(ffmpegPath) };
  const walls = findWalls([ffmpegPath, "-version"]);
  return {
    kind: "native",
    description: `native ${ffmpegPath}`,
    confinement: confinementBy(walls, walls.netless === null ? { lacks: [noNetwork] } : { holds: [noNetwork] }),
    async run({ tool, args, reads, writes, limits }, supervision) {
      const memory = [`--as=${limits.memoryMaxBytes}`];
      const opened = await letIn(walls.user, reads, writes, supervision.cwd);
      const named = new Map(Object.entries(opened).map(([path, as]) => [`file:${path}`, `file:${as}`]));
      return confined(walls, memory, [tools[tool], ...args.map((it) => named.get(it) ?? it)], limits, supervision);
    },
  };
}

/** What the child of the wasm engine has to be able to read, also as another user. */
const CAN_READ = "for (const path of process.argv.slice(1)) fs.accessSync(path, fs.constants.R_OK)";

function wasmEngine(): Engine {
  const corePath = findWasmCore();
  const hostPath = realpathSync(fileURLToPath(new URL("./wasm-host.ts", import.meta.url)));
  // A network of its own would be a second lock only, and one that this process has to pass at each start.
  const walls = { ...findWalls([process.execPath, "-e", CAN_READ, hostPath, corePath]), netless: null };
  return {
    kind: "wasm",
    description: `wasm ${corePath}`,
    confinement: confinementBy(walls, { holds: ["no files but its own and no network (node --permission)"] }),
    async run({ tool, args, reads, writes, limits }, supervision) {
      const opened = await letIn(walls.user, reads, writes, supervision.cwd);
      const order: WasmOrder = { corePath, tool, args, reads, writes, opened, outputMaxBytes: limits.outputMaxBytes };
      const readable = [hostPath, join(dirname(corePath), "*"), ...reads, ...writes];
      const command = [
        process.execPath,
        "--no-warnings",
        "--permission",
        ...readable.map((path) => `--allow-fs-read=${path}`),
        ...writes.map((path) => `--allow-fs-write=${path}`),
        "--max-old-space-size=256",
        `--wasm-max-mem-pages=${Math.floor(limits.memoryMaxBytes / 65_536)}`,
        hostPath,
        JSON.stringify(order),
      ];
      // No bound on address space: V8 reserves far more of it than it ever uses.
      return confined(walls, [], command, limits, supervision);
    },
  };
}

/** Puts the operating system's own limits around a command, where there are any. */
function confined(
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

type User = { readonly uid: number; readonly gid: number };

/** "nobody", by number, as a container may have no list of users. Only a service that is root changes to it. */
const unprivileged: User | null = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : null;

/**
 * Gives another user what a command needs: to read its files, and the folders that it writes in. Nothing is taken from
 * anybody, and nothing is given that is not named. Returns by which name each file can be opened: where that user may not
 * pass the folders above, it is the one that leads there from `cwd`, in which the child is put by us.
 */
async function letIn(
  user: User | null,
  reads: readonly string[],
  writes: readonly string[],
  cwd: string,
): Promise<Readonly<Record<string, string>>> {
  const files = [...reads, ...writes];
  if (user === null) return Object.fromEntries(files.map((path) => [path, path]));
  for (const folder of new Set(writes.map((path) => dirname(path)))) await chown(folder, user.uid, user.gid);
  for (const path of reads) await share(path, READ, user);
  for (const path of files) await share(dirname(path), PASS, user);
  // What is written may lie beside what is read.
  for (const path of writes) await share(dirname(dirname(path)), PASS, user);
  const names = files.map(async (path) => [path, (await isInReach(path, user)) ? path : relative(cwd, path)]);
  return Object.fromEntries((await Promise.all(names)) as [string, string][]);
}

/** Bits of a mode, as the last of its three digits. */
const [READ, PASS] = [0o4, 0o1];

async function may(path: string, bit: number, { uid, gid }: User): Promise<boolean> {
  const { mode, ...owner } = await stat(path);
  return (mode & (owner.uid === uid ? bit << 6 : owner.gid === gid ? bit << 3 : bit)) !== 0;
}

async function share(path: string, bit: number, user: User): Promise<void> {
  if (await may(path, bit, user)) return;
  const { uid, mode } = await stat(path);
  await chown(path, uid, user.gid);
  await chmod(path, (mode & 0o7777) | (bit << 3));
}

/** Whether every folder above it lets this user pass. */
async function isInReach(path: string, user: User): Promise<boolean> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (!(await may(folder, PASS, user))) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** What of util-linux works here, to be put before a command. */
type Walls = {
  /** Limits of resources, and a child that dies with us: setpriv and then prlimit, which takes more. */
  readonly limiters: readonly string[] | null;
  /** A network of the child's own, in which there is nothing. */
  readonly netless: readonly string[] | null;
  /** Whom the child runs as, instead of root. */
  readonly user: User | null;
  /** The same where it is us who change, for want of setpriv. */
  readonly spawnedAs: User | null;
};

const setprivArgs = ["--no-new-privs", "--pdeathsig", "KILL"] as const;
const limitsOfResources = "limits of resources (prlimit)";
const noNewPrivileges = "no new privileges, and dies with the service (setpriv)";
const noNetwork = "no network (unshare)";
const notRoot = "not as root, and without capabilities";

/** Only Linux has them, and containers often forbid the last: each is tried once, around the program it is for. */
function findWalls(command: readonly string[]): Walls {
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
  // Who is not root needs a namespace of users for it, in which he stays who he is and gains nothing.
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

function confinementBy({ limiters, user }: Walls, { holds = [], lacks = [] }: Partial<Confinement>): Confinement {
  const limits = [limitsOfResources, noNewPrivileges];
  const asUser = unprivileged === null ? {} : user === null ? { lacks: [notRoot] } : { holds: [notRoot] };
  const more = { holds: [...holds, ...(asUser.holds ?? [])], lacks: [...lacks, ...(asUser.lacks ?? [])] };
  return limiters === null
    ? { holds: more.holds, lacks: [...limits, ...more.lacks], isLimited: false }
    : { holds: [...limits, ...more.holds], lacks: more.lacks, isLimited: true };
}

function findWasmCore(): string {
  try {
    return createRequire(import.meta.url).resolve("@ffmpeg/core");
  } catch (error) {
    throw new Error("no media engine: neither a native ffmpeg nor the optional package @ffmpeg/core is installed", {
      cause: error,
    });
  }
}

function probePathBeside(ffmpegPath: string): string {
  return join(dirname(ffmpegPath), `ffprobe${executableSuffix}`);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
