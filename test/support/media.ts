/**
 * Real videos for tests, made by the engine itself: nothing binary is checked in and nothing is downloaded.
 * A clip is made once per recipe and kept in the cache of this user, so only the first run waits for it.
 */
import { createHash, randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { findEngine } from "../../src/video-uploads/media/engine.ts";
import type { Engine } from "../../src/video-uploads/media/engine.ts";
import { DEFAULT_MEDIA_LIMITS } from "../../src/video-uploads/media/limits.ts";

export type ClipRecipe = {
  readonly durationSeconds: number;
  readonly width: number;
  readonly height: number;
  readonly container: "mp4" | "mov" | "webm" | "mkv";
  /** A tone; true unless said otherwise. */
  readonly audio?: boolean;
  /** How far a player is told to turn the picture, clockwise; for mp4 and mov. */
  readonly rotation?: 0 | 90 | 180 | 270;
  readonly framesPerSecond?: number;
  /** How many times as wide as high each pixel is to be shown, as a fraction; square unless said otherwise. */
  readonly pixelAspect?: `${number}/${number}`;
  /** Written into the file as its title. */
  readonly title?: string;
  /** As a browser records: no length in the header, or pieces one after another. */
  readonly live?: boolean;
};

/** In a user's own cache, as another user's files may be neither written nor trusted (XDG Base Directory Specification). */
// Not in root's home: the engine reads them as another user.
const caches = process.env["XDG_CACHE_HOME"] ?? (process.getuid?.() === 0 ? "/var/cache" : join(homedir(), ".cache"));
const cacheDir = join(caches, "plumbline-test-media-1");
let clipMaker: Engine | null = null;

/** The engine that makes the clips: whichever this machine has. */
export function anyEngine(): Engine {
  clipMaker ??= findEngine({ mode: "auto" });
  return clipMaker;
}

/** The wasm engine, and the native one where it is installed; says so loudly where it is not. */
export function allEngines(): Engine[] {
  const wasm = findEngine({ mode: "wasm" });
  try {
    return [wasm, findEngine({ mode: "native" })];
  } catch (error) {
    if (process.env["CI"] === "true") throw error;
    process.stderr.write(`\nSKIPPED for the native engine: ${String(error)}\n\n`);
    return [wasm];
  }
}

/** A fresh empty folder, removed when the scope ends. */
export async function temporaryFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "plumbline-test-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** The path of a clip of moving test pattern. The file is shared: read it, or copy it before changing it. */
export async function makeClip(recipe: ClipRecipe): Promise<string> {
  const { rotation = 0, ...plain } = recipe;
  if (rotation !== 0) {
    const upright = await makeClip({ ...plain });
    return derive(upright, `rotated-${rotation}.${recipe.container}`, (bytes) => rotateTracks(bytes, rotation));
  }
  return makeWith(encodingArgs(plain), recipe.container);
}

/** A file made from another one by changing its bytes; as shared and as lasting as a clip. */
export async function derive(source: string, suffix: string, change: (bytes: Buffer) => Buffer): Promise<string> {
  const base = source.slice(source.lastIndexOf("/") + 1);
  return cached(`${base}.${suffix}`, async (path) => {
    await writeFile(path, change(await readFile(source)));
  });
}

/** A clip whose last picture lasts eight seconds, as in a recording of a screen on which nothing moved any more. */
export async function makeStillEndingClip(): Promise<string> {
  const clip = await makeClip({ durationSeconds: 2, width: 320, height: 240, container: "mp4", audio: false });
  const lastLonger = "setts=duration=if(eq(N\\,49)\\,12800*8\\,512)";
  const args = ["-i", `file:${clip}`, "-c", "copy", "-bsf:v", lastLonger, "-f", "mp4"];
  return cached(`${clip.slice(clip.lastIndexOf("/") + 1)}.still-ending`, (path) => encode(args, path, [clip]));
}

/** What ffmpeg makes with these arguments, made once. `reads` are the files it needs for it. */
export async function makeWith(args: readonly string[], extension: string, reads: readonly string[] = []): Promise<string> {
  const name = `${createHash("sha256").update(args.join("\n")).digest("hex").slice(0, 16)}.${extension}`;
  return cached(name, (path) => encode(args, path, reads));
}

/** Two test files may want the same clip at the same time: each makes it aside, and the rename decides. */
async function cached(name: string, make: (path: string) => Promise<void>): Promise<string> {
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
  const {
    durationSeconds,
    width,
    height,
    container,
    audio = true,
    framesPerSecond = 25,
    live = false,
    title,
    pixelAspect,
  } = recipe;
  const lavfi = (source: string): string[] => ["-f", "lavfi", "-i", source];
  // The pattern itself comes in even sizes only; scaling gives the odd ones.
  const picture = `testsrc2=size=${width}x${height}:rate=${framesPerSecond}:duration=${durationSeconds},scale=${width}:${height}${pixelAspect === undefined ? "" : `,setsar=${pixelAspect}`}`;
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
    ...(title === undefined ? [] : ["-metadata", `title=${title}`]),
    ...containerArgs,
    "-f",
    container === "mkv" ? "matroska" : container,
  ];
}

async function encode(args: readonly string[], path: string, reads: readonly string[] = []): Promise<void> {
  const end = await anyEngine().run(
    {
      tool: "ffmpeg",
      args: ["-hide_banner", "-nostdin", "-loglevel", "error", ...args, "-y", `file:${path}`],
      reads,
      writes: [path],
      limits: DEFAULT_MEDIA_LIMITS,
    },
    { cwd: cacheDir, timeoutMs: 120_000, outputMaxBytes: 1024 * 1024 },
  );
  if (end.exitCode !== 0) throw new Error(`no test clip: ${JSON.stringify(end)}`);
}

/** Writes the turn into the matrix of each track header, where telephones put it. */
function rotateTracks(source: Buffer, rotation: 90 | 180 | 270): Buffer {
  const bytes = Buffer.from(source);
  const [cos, sin] = ({ 90: [0, 1], 180: [-1, 0], 270: [0, -1] } as const)[rotation];
  for (let at = bytes.indexOf("tkhd"); at !== -1; at = bytes.indexOf("tkhd", at + 1)) {
    const matrixAt = at + 4 + 40; // Version 0: four bytes of version and flags, then 36 of times, ids and volume.
    const matrix = [cos, sin, 0, -sin, cos, 0].map((it) => it * 0x10000);
    matrix.forEach((value, index) => bytes.writeInt32BE(value, matrixAt + 4 * index));
  }
  return bytes;
}
