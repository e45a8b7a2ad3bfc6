/** Finds the ffmpeg to use: a native one if there is one, else the wasm build from npm. */
import { spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { StartupError } from "../util/startup-error.ts";
import type { ChildEnd } from "./child-process.ts";
import { DEFAULT_FOLDERS, findSandbox, isExecutable, runInSandbox, type Sandbox, type Supervision } from "./sandbox.ts";
import type { MediaLimits } from "./limits.ts";
import { grantAccess } from "./file-access.ts";
import type { WasmCommand } from "./wasm-host.ts";

type ToolUse = Pick<WasmCommand, "tool" | "args" | "reads" | "writes"> & { readonly limits: MediaLimits };

export type Engine = {
  readonly kind: "native" | "wasm";
  /** For the log: the kind, the path, and why no native ffmpeg is used. */
  readonly description: string;
  readonly sandbox: Sandbox;
  /** Runs one command to its end in a separate process that can access only its files. */
  run(use: ToolUse, supervision: Supervision): Promise<ChildEnd>;
};

type EngineChoice = {
  readonly mode: "auto" | "native" | "wasm";
  /** The ffmpeg to use, with ffprobe in the same folder. If it is unusable, the service doesn't start, to avoid a silent fallback. */
  readonly ffmpegPath?: string | undefined;
  /** The PATH to search; the default folders if it is absent or empty. */
  readonly searchPath?: string | undefined;
};

/** Finds the engine, once, at startup. Throws a StartupError if there is none of the requested kind. */
export function findEngine({ mode, ffmpegPath, searchPath }: EngineChoice): Engine {
  if (mode === "wasm") return wasmEngine([]);
  const named = (searchPath ?? "").split(delimiter).filter((folder) => folder !== "");
  const folders = named.length === 0 ? DEFAULT_FOLDERS : named;
  const found = folders.map((folder) => join(folder, "ffmpeg")).filter(isExecutable);
  const reasons: string[] = [];
  for (const candidate of ffmpegPath === undefined ? found : [ffmpegPath]) {
    const problem = problemOf(candidate);
    if (problem === null) return nativeEngine(candidate);
    reasons.push(`${candidate}: ${problem}`);
  }
  if (ffmpegPath !== undefined || mode === "native")
    throw new StartupError(
      `Videos cannot be processed: no native media engine: ${reasons.join("; ") || "ffmpeg was not found"}.`,
    );
  return wasmEngine(reasons);
}

/** Encoders and filters that some distributions lack. */
const REQUIRED = { "-encoders": ["libx264", "aac"], "-filters": ["zscale", "tonemap", "tile", "tpad"] };

/** Why this ffmpeg can't be used; null if it can. */
function problemOf(ffmpegPath: string): string | null {
  if (!isExecutable(ffmpegPath)) return "not an executable file";
  if (!isExecutable(probePathBeside(ffmpegPath))) return "no ffprobe beside it";
  for (const [option, names] of Object.entries(REQUIRED)) {
    const listed = spawnSync(ffmpegPath, ["-hide_banner", option], { env: {}, timeout: 10_000, encoding: "utf8" });
    if (listed.status !== 0) return "it does not run";
    const missing = names.filter((name) => !new RegExp(`\\b${name}\\b`).test(listed.stdout));
    if (missing.length > 0) return `it lacks ${missing.join(" and ")}`;
  }
  return null;
}

function nativeEngine(ffmpegPath: string): Engine {
  const tools = { ffmpeg: ffmpegPath, ffprobe: probePathBeside(ffmpegPath) };
  const sandbox = findSandbox([ffmpegPath, "-version"], { withoutNetwork: true });
  return {
    kind: "native",
    description: `native ${ffmpegPath}`,
    sandbox,
    async run({ tool, args, reads, writes, limits }, supervision) {
      const memory = [`--as=${limits.memoryMaxBytes}`];
      const opened = await grantAccess(sandbox.user, reads, writes, supervision.cwd);
      const named = new Map(Object.entries(opened).map(([path, as]) => [`file:${path}`, `file:${as}`]));
      return runInSandbox(sandbox, memory, [tools[tool], ...args.map((it) => named.get(it) ?? it)], limits, supervision);
    },
  };
}

/** Checks that a child of the wasm engine can read its files, also as another user. */
const CAN_READ = "for (const path of process.argv.slice(1)) fs.accessSync(path, fs.constants.R_OK)";

/** `reasons` explain why no native ffmpeg is used. */
function wasmEngine(reasons: readonly string[]): Engine {
  const corePath = findWasmCore();
  const hostPath = realpathSync(fileURLToPath(new URL("./wasm-host.ts", import.meta.url)));
  // The permission model of Node already denies the network, so a namespace would only cost time at each start.
  const found = findSandbox([process.execPath, "-e", CAN_READ, hostPath, corePath], { withoutNetwork: false });
  const sandbox = { ...found, active: ["no files but its own and no network (node --permission)", ...found.active] };
  return {
    kind: "wasm",
    description: [`wasm ${corePath}`, ...reasons].join("; not "),
    sandbox,
    async run({ tool, args, reads, writes, limits }, supervision) {
      const opened = await grantAccess(sandbox.user, reads, writes, supervision.cwd);
      const request: WasmCommand = { corePath, tool, args, reads, writes, opened, outputMaxBytes: limits.outputMaxBytes };
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
        JSON.stringify(request),
      ];
      // No limit on address space, because V8 reserves far more than it uses.
      return runInSandbox(sandbox, [], command, limits, supervision);
    },
  };
}

function findWasmCore(): string {
  try {
    return createRequire(import.meta.url).resolve("@ffmpeg/core");
  } catch (error) {
    throw new StartupError(
      "Videos cannot be processed: no media engine: neither a native ffmpeg nor the optional package @ffmpeg/core is installed.",
      { cause: error },
    );
  }
}

const probePathBeside = (ffmpegPath: string) => join(dirname(ffmpegPath), "ffprobe");
