/**
 * Real videos for tests. The media engine makes them, so the repository has no binaries and nothing is downloaded. Each
 * recipe is made once and cached for this user, so only the first run waits for it.
 */
import { createHash, randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findEngine } from "../../src/media/engine.ts";
import type { Engine } from "../../src/media/engine.ts";
import type { Container } from "../../src/media/container.ts";
import { DEFAULT_MEDIA_LIMITS } from "../../src/media/limits.ts";
import { itNeeds, lacks } from "./needs.ts";
import { sized } from "./size.ts";

export type ClipRecipe = {
  readonly durationSeconds: number;
  readonly width: number;
  readonly height: number;
  readonly container: Container;
  /** Whether the clip has a tone. The default is true. */
  readonly audio?: boolean;
  readonly framesPerSecond?: number;
  /** As browsers record: without a length in the header, or in fragments. */
  readonly live?: boolean;
};

/**
 * In the cache of this user, because another user's files can be neither written nor trusted (XDG Base Directory
 * Specification).
 */
// Not in root's home, because the engine reads them as another user.
const caches = process.env["XDG_CACHE_HOME"] ?? (process.getuid?.() === 0 ? "/var/cache" : join(homedir(), ".cache"));
const cacheDir = join(caches, "plumbline-test-media-1");
let clipMaker: Engine | null = null;

/** The engine that makes the clips: any that this machine has. */
export function anyEngine(): Engine {
  clipMaker ??= findEngine({ mode: "auto" });
  return clipMaker;
}

/** Whether clips in HEVC can be made here: x265 never ends in the wasm build. Without them, jest still counts a skipped test. */
export const canMakeHevc = (): boolean => anyEngine().kind === "native";

/** The wasm engine and, if it is installed, the native one. If it isn't, jest counts a skipped test, and CI fails. */
export function allEngines(): Engine[] {
  const wasm = findEngine({ mode: "wasm" });
  if (lacks("native engine") === null) return [wasm, findEngine({ mode: "native" })];
  itNeeds("native engine", "the tests of the media engine with native ffmpeg", () => undefined);
  return [wasm];
}

/** The native engine, and at the full size also the embedded one, which takes ten times as long for the same filters. */
export const enginesForSize = (): Engine[] => sized(allEngines().slice(-1), allEngines());

/** A new empty folder that is removed at the end of the scope. */
export async function temporaryFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "plumbline-test-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** The path of a clip of a moving test pattern. The file is shared, so copy it before you change it. */
export async function makeClip(recipe: ClipRecipe): Promise<string> {
  return makeWith(encodingArgs(recipe), recipe.container);
}

/** A file made from another one by a change to its bytes. It is shared and cached like a clip. */
export async function derive(source: string, suffix: string, change: (bytes: Buffer) => Buffer): Promise<string> {
  const base = source.slice(source.lastIndexOf("/") + 1);
  return cached(`${base}.${suffix}`, async (path) => {
    await writeFile(path, change(await readFile(source)));
  });
}

/** The output of ffmpeg with these arguments, cached. `reads` are its input files. */
export async function makeWith(args: readonly string[], extension: string, reads: readonly string[] = []): Promise<string> {
  const name = `${createHash("sha256").update(args.join("\n")).digest("hex").slice(0, 16)}.${extension}`;
  return cached(name, (path) => runFfmpeg([...args, "-y", `file:${path}`], [path], reads));
}

const making = new Map<string, Promise<string>>();
/** Tests of this process that need the same clip at the same time wait for one. */
function cached(name: string, make: (path: string) => Promise<void>): Promise<string> {
  const it = making.get(name) ?? makeUnlessCached(name, make).finally(() => making.delete(name));
  making.set(name, it);
  return it;
}

/** Two processes can make the same clip at the same time: each writes its own file and then renames it. */
async function makeUnlessCached(name: string, make: (path: string) => Promise<void>): Promise<string> {
  const path = join(cacheDir, name);
  if (
    await stat(path).then(
      () => true,
      () => false,
    )
  )
    return path;
  await mkdir(cacheDir, { recursive: true });
  const unfinished = join(cacheDir, `${randomUUID()}.part`);
  await make(unfinished);
  await rename(unfinished, path);
  return path;
}

function encodingArgs(recipe: ClipRecipe): string[] {
  const { durationSeconds, width, height, container, audio = true, framesPerSecond = 25, live = false } = recipe;
  const lavfi = (source: string): string[] => ["-f", "lavfi", "-i", source];
  // The test pattern allows only even sizes; scaling also gives odd ones.
  const picture = `testsrc2=size=${width}x${height}:rate=${framesPerSecond}:duration=${durationSeconds},scale=${width}:${height}`;
  const webm = container === "webm";
  const videoArgs = webm
    ? ["-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8"]
    : ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"];
  const containerArgs =
    container === "mp4" || container === "mov"
      ? ["-movflags", live ? "frag_keyframe+empty_moov" : "faststart"]
      : live
        ? ["-live", "1"]
        : [];
  return [
    ...lavfi(picture),
    ...(audio ? lavfi(`sine=frequency=440:duration=${durationSeconds}`) : []),
    ...videoArgs,
    "-g",
    "25",
    "-b:v",
    "400k",
    ...(audio ? ["-c:a", webm ? "libopus" : "aac", "-b:a", "64k"] : []),
    ...containerArgs,
    "-f",
    { mp4: "mp4", mov: "mov", webm: "webm", mkv: "matroska", avi: "avi", ts: "mpegts" }[container],
  ];
}

/** Runs ffmpeg, which writes these files. */
export async function runFfmpeg(
  args: readonly string[],
  writes: readonly string[],
  reads: readonly string[] = [],
): Promise<void> {
  const command = ["-hide_banner", "-nostdin", "-loglevel", "error", ...args];
  // To encode takes more memory than to decode, as for a picture in 8K.
  const limits = { ...DEFAULT_MEDIA_LIMITS, memoryMaxBytes: 2 * DEFAULT_MEDIA_LIMITS.memoryMaxBytes };
  const supervision = { cwd: dirname(writes[0]!), timeoutMs: 120_000, outputMaxBytes: 1024 * 1024 };
  const end = await anyEngine().run({ tool: "ffmpeg", args: command, reads, writes, limits }, supervision);
  if (end.exitCode !== 0) throw new Error(`A file could not be made: ${JSON.stringify(end)}`);
}

/** Writes a matrix into each track header: where the right side of the picture goes, and the lower one, to the right and down. */
export function transformTracks(source: Buffer, [a, b, c, d]: readonly [number, number, number, number]): Buffer {
  const bytes = Buffer.from(source);
  for (let at = bytes.indexOf("tkhd"); at !== -1; at = bytes.indexOf("tkhd", at + 1)) {
    const matrixAt = at + 4 + 40; // Version 0: 4 bytes of version and flags, then 36 bytes of times, ids and volume.
    [a, b, 0, c, d, 0].forEach((value, index) => bytes.writeInt32BE(Math.round(value * 0x10000), matrixAt + 4 * index));
  }
  return bytes;
}
