/** Which ffmpeg does the work: a native one where there is one, else the wasm build from npm. */
import { spawnSync } from "node:child_process";
import { accessSync, constants, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
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
  /** The PATH to look in; the customary folders when absent. */
  readonly searchPath?: string | undefined;
};

const customaryFolders = ["/usr/local/bin", "/usr/bin", "/bin", "/opt/homebrew/bin"];
const executableSuffix = process.platform === "win32" ? ".exe" : "";
const openFilesMax = 256;

/** Finds the engine, once, at start-up; throws with the reason when there is none of the kind asked for. */
export function findEngine({ mode, ffmpegPath, searchPath }: EngineChoice): Engine {
  if (mode === "wasm") return wasmEngine();
  const folders = searchPath?.split(delimiter).filter((folder) => folder !== "") ?? customaryFolders;
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
    run({ tool, args, limits }, supervision) {
      const memory = [`--as=${limits.memoryMaxBytes}`];
      return confined(walls, memory, [tools[tool], ...args], limits, supervision);
    },
  };
}

function wasmEngine(): Engine {
  const corePath = findWasmCore();
  const hostPath = realpathSync(fileURLToPath(new URL("./wasm-host.ts", import.meta.url)));
  // A network of its own would be a second lock only, and one that this process has to pass at each start.
  const walls = { ...findWalls([process.execPath, "--version"]), netless: null };
  return {
    kind: "wasm",
    description: `wasm ${corePath}`,
    confinement: confinementBy(walls, { holds: ["no files but its own and no network (node --permission)"] }),
    run({ tool, args, reads, writes, limits }, supervision) {
      const order: WasmOrder = { corePath, tool, args, reads, writes, outputMaxBytes: limits.outputMaxBytes };
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
  { limiters, netless }: Walls,
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
          limiters.setprivPath,
          ...setprivArgs,
          "--",
          limiters.prlimitPath,
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
  return runChild({ ...supervision, command: program, args });
}

/** What of util-linux works here, to be put before a command. */
type Walls = {
  /** Limits of resources, and a child that dies with us. */
  readonly limiters: { readonly setprivPath: string; readonly prlimitPath: string } | null;
  /** A network of the child's own, in which there is nothing. */
  readonly netless: readonly string[] | null;
};

const setprivArgs = ["--no-new-privs", "--pdeathsig", "KILL"] as const;
const limitsOfResources = "limits of resources (prlimit)";
const noNewPrivileges = "no new privileges, and dies with the service (setpriv)";
const noNetwork = "no network (unshare)";

/** Only Linux has them, and containers often forbid the last: each is tried once, around the program it is for. */
function findWalls(command: readonly string[]): Walls {
  const find = (name: string) =>
    process.platform === "linux" ? customaryFolders.map((folder) => join(folder, name)).find(isExecutable) : undefined;
  const works = ([program = "", ...args]: readonly string[]) =>
    spawnSync(program, args, { env: {}, timeout: 5_000 }).status === 0;
  const [setprivPath, prlimitPath, unsharePath] = [find("setpriv"), find("prlimit"), find("unshare")];
  const limiting = [setprivPath ?? "", ...setprivArgs, "--", prlimitPath ?? "", "--core=0", "--"];
  const limiters =
    setprivPath !== undefined && prlimitPath !== undefined && works([...limiting, ...command])
      ? { setprivPath, prlimitPath }
      : null;
  // Who is not root needs a namespace of users for it, in which he stays who he is and gains nothing.
  const netless = [unsharePath ?? "", ...(process.getuid?.() === 0 ? [] : ["--map-current-user"]), "--net", "--"];
  const isNetless = unsharePath !== undefined && works([...netless, ...(limiters === null ? [] : limiting), ...command]);
  return { limiters, netless: isNetless ? netless : null };
}

function confinementBy({ limiters }: Walls, { holds = [], lacks = [] }: Partial<Confinement>): Confinement {
  const limits = [limitsOfResources, noNewPrivileges];
  return limiters === null
    ? { holds, lacks: [...limits, ...lacks], isLimited: false }
    : { holds: [...limits, ...holds], lacks, isLimited: true };
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
