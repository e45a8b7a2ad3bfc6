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
  /** Runs one command to its end in a process of its own, with nothing but its files. */
  run(use: ToolUse, supervision: Supervision): Promise<ChildEnd>;
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
  const candidates = ffmpegPath === undefined
    ? folders.map((folder) => join(folder, `ffmpeg${executableSuffix}`))
    : [ffmpegPath];
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
  const confine = findConfinement();
  return {
    kind: "native",
    description: `native ${ffmpegPath}`,
    run({ tool, args, limits }, supervision) {
      const memory = [`--as=${limits.memoryMaxBytes}`];
      return confined(confine, memory, [tools[tool], ...args], limits, supervision);
    },
  };
}

function wasmEngine(): Engine {
  const corePath = findWasmCore();
  const hostPath = realpathSync(fileURLToPath(new URL("./wasm-host.ts", import.meta.url)));
  const confine = findConfinement();
  return {
    kind: "wasm",
    description: `wasm ${corePath}`,
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
      return confined(confine, [], command, limits, supervision);
    },
  };
}

/** Puts the operating system's own limits around a command, where there are any. */
function confined(
  confine: Confinement | null, memory: readonly string[], command: readonly string[], limits: MediaLimits,
  supervision: Supervision,
): Promise<ChildEnd> {
  // A second line behind the supervisor's timers: processor time in all threads together.
  const cpuSeconds = Math.ceil(supervision.timeoutMs / 1000) * (limits.threads + 1);
  const prefix = confine === null ? [] : [
    confine.setprivPath, "--no-new-privs", "--pdeathsig", "KILL", "--",
    confine.prlimitPath, ...memory, `--cpu=${cpuSeconds}`, `--fsize=${limits.outputMaxBytes}`,
    `--nofile=${openFilesMax}`, "--core=0", "--",
  ];
  const [program, ...args] = [...prefix, ...command];
  if (program === undefined) throw new Error("an empty command");
  return runChild({ ...supervision, command: program, args });
}

type Confinement = { readonly setprivPath: string; readonly prlimitPath: string };

/** util-linux on Linux: limits of resources, and a child that dies with us. Null where they are missing or forbidden. */
function findConfinement(): Confinement | null {
  if (process.platform !== "linux") return null;
  const find = (name: string) => customaryFolders.map((folder) => join(folder, name)).find(isExecutable);
  const setprivPath = find("setpriv");
  const prlimitPath = find("prlimit");
  if (setprivPath === undefined || prlimitPath === undefined) return null;
  const trial = ["--no-new-privs", "--pdeathsig", "KILL", "--", prlimitPath, "--core=0", "--", prlimitPath, "--version"];
  return spawnSync(setprivPath, trial, { env: {}, timeout: 5_000 }).status === 0 ? { setprivPath, prlimitPath } : null;
}

function findWasmCore(): string {
  try {
    return createRequire(import.meta.url).resolve("@ffmpeg/core");
  } catch (error) {
    throw new Error("no media engine: neither a native ffmpeg nor the optional package @ffmpeg/core is installed", { cause: error });
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
