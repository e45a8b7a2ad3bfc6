/** Makes a poster from an upload, and renditions that every browser plays. */
import { mkdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { boundOutput } from "./bounded-output.ts";
import { requireNormalExit, type ChildEnd } from "./child-process.ts";
import type { Engine } from "./engine.ts";
import { posterArgs, renditionArgs, spriteArgs, type RenditionPlan } from "./ffmpeg-args.ts";
import { fitFrame, type FrameSize } from "./frame-size.ts";
import { DEFAULT_MEDIA_LIMITS } from "./limits.ts";
import { measure, tooLong } from "./measure.ts";
import { internalError, MediaFailure } from "./media-failure.ts";
import type { MediaInfo, MediaOptions } from "./probe.ts";
import { createProgressReader } from "./progress.ts";
import type { ProbeInput } from "./run-probe.ts";
import { planSprite } from "./sprite-plan.ts";

export type MediaFile = FrameSize & {
  readonly path: string;
  readonly contentType: "image/jpeg" | "video/mp4";
  readonly sizeBytes: number;
};
type Rendition = MediaFile & { readonly name: string; readonly durationMs: number };
/** An image of small frames, one for each interval: `tileCount` tiles from left to right and from top to bottom. */
export type Sprite = MediaFile & {
  readonly tileWidth: number;
  readonly tileHeight: number;
  readonly tileCount: number;
  readonly intervalMs: number;
};
export type TranscodeResult = {
  /** Of what was made. */
  readonly durationMs: number;
  readonly poster: MediaFile;
  readonly sprite: Sprite;
  readonly renditions: readonly Rendition[];
};

export type TranscodeOptions = MediaOptions & {
  /** Called with a whole percentage, from 0 to 100. It must not throw. */
  readonly onProgress?: (percent: number) => void;
};

/** Sizes by the shorter side, so that a portrait video is as sharp as a landscape one. The first one is always made. */
const LADDER = [
  { name: "480p", shortSide: 480, maxRateKilobits: 2_500 },
  { name: "720p", shortSide: 720, maxRateKilobits: 5_000 },
] as const;
const POSTER_SHORT_SIDE = 720;
const POSTER_LATEST_MS = 5_000;
const POSTER_PERCENT = 5;
const POSTER_MAX_BYTES = 1024 * 1024;
/** JPEG of random noise needs about 0.6 bytes per pixel. */
const SPRITE_BYTES_PER_PIXEL = 1;
/** The sprite takes a tenth of the time of the renditions. */
const RENDITIONS_PERCENT = 90;
/** Audio and container. */
const OTHER_KILOBITS = 160;
/** The encoder can exceed its maximum rate for this time: the size of its buffer. */
const RATE_BUFFER_MS = 2_000;
/** A rendition with less than this share of the time of its source could not be decoded to its end. */
const DURATION_RATIO_MIN = 0.95;
const PROGRESS_MAX_BYTES = 256 * 1024 * 1024;

type Work = ProbeInput & {
  readonly info: MediaInfo;
  readonly outDir: string;
  readonly plans: readonly RenditionPlan[];
  readonly output: Awaited<ReturnType<typeof boundOutput>>;
};

/**
 * Writes poster, sprite and renditions into `outDir`. `info` comes from `probe`. If it throws
 * a `MediaFailure`, remove `outDir`.
 */
export async function transcode(
  engine: Engine,
  inputPath: string,
  info: MediaInfo,
  outDir: string,
  options: TranscodeOptions = {},
): Promise<TranscodeResult> {
  const limits = { ...DEFAULT_MEDIA_LIMITS, ...options.limits };
  const { signal, budget = { minFreeBytes: 0, quotaBytes: Infinity } } = options;
  const [path, folder] = [resolve(info.copyWithOneClock ?? inputPath), resolve(outDir)];
  await mkdir(folder, { recursive: true });
  const plans = renditionsOf(info).map((it) => ({ ...it, path: join(folder, `${it.name}.mp4`) }));
  const plan = { sourceBytes: await sizeOf(path), plannedBytes: plannedBytesOf(plans, info) };
  const output = await boundOutput(folder, plan, limits, budget);
  const bounded = { ...limits, outputMaxBytes: Math.min(limits.outputMaxBytes, output.maxBytes) };
  const { container } = info;
  const { minFreeBytes } = budget;
  const work: Work = { engine, path, container, limits: bounded, signal, minFreeBytes, info, outDir: folder, plans, output };
  let reportedPercent = -1;
  const report = (percent: number): void => {
    if (percent <= reportedPercent) return;
    reportedPercent = percent;
    options.onProgress?.(percent);
  };

  report(0);
  const poster = await makePoster(work);
  report(POSTER_PERCENT);
  const share = RENDITIONS_PERCENT - POSTER_PERCENT;
  const onDone = (part: number) => report(Math.min(RENDITIONS_PERCENT, POSTER_PERCENT + Math.floor(part * share)));
  const renditions = await makeRenditions(work, onDone);
  const durationMs = Math.max(...renditions.map((it) => it.durationMs));
  const sprite = await makeSprite(work, renditions[0]!, durationMs);
  report(100);
  signal?.throwIfAborted();
  return { durationMs, poster, sprite, renditions };
}

/** The renditions to make of a video. */
export function renditionsOf(source: FrameSize): readonly Omit<RenditionPlan, "path">[] {
  const sourceShortSide = Math.min(source.width, source.height);
  const rungs = LADDER.filter(({ shortSide }, index) => index === 0 || sourceShortSide >= shortSide);
  return rungs.map(({ shortSide, ...rung }) => ({ ...rung, ...fitFrame(source, shortSide) }));
}

/** The maximum total size of the files. */
function plannedBytesOf(plans: readonly RenditionPlan[], info: MediaInfo): number {
  const { durationMs } = info;
  // Kilobits per second are bits per millisecond.
  const bits = plans.map(({ maxRateKilobits: rate }) => rate * (durationMs + RATE_BUFFER_MS) + OTHER_KILOBITS * durationMs);
  const { tile, columns, rows } = planSprite(info);
  const spriteBytes = columns * rows * tile.width * tile.height * SPRITE_BYTES_PER_PIXEL;
  return POSTER_MAX_BYTES + spriteBytes + Math.ceil(bits.reduce((sum, it) => sum + it, 0) / 8);
}

async function makePoster(work: Work): Promise<MediaFile> {
  const path = join(work.outDir, "poster.jpg");
  const size = fitFrame(work.info, POSTER_SHORT_SIDE);
  // The first frame is often black, so a later one is tried first.
  for (const atMs of [Math.min(POSTER_LATEST_MS, Math.floor(work.info.durationMs / 10)), 0]) {
    const end = await run(work, posterArgs(work, { ...size, path, atMs }, work.info), [path], work.limits.probeTimeoutMs, work);
    const sizeBytes = await sizeOf(path);
    if (end.exitCode === 0 && sizeBytes > 0) return { path, contentType: "image/jpeg", ...size, sizeBytes };
  }
  throw new MediaFailure("corrupt_media", "The video has no frame that can be shown.");
}

async function makeRenditions(work: Work, onDone: (part: number) => void): Promise<readonly Rendition[]> {
  const { info, limits, plans, path } = work;
  const onLine = createProgressReader((outTimeMs) => onDone(outTimeMs / info.durationMs));
  const paths = plans.map((it) => it.path);
  const end = await run(work, renditionArgs(work, plans, info), paths, limits.transcodeTimeoutMs, { path, onLine });
  if (end.exitCode !== 0) throw LIMITS.find(([message]) => message.test(end.stderr))?.[1](end) ?? undecodable(end);
  const renditions: Rendition[] = [];
  for (const plan of plans) renditions.push(await measureRendition(work, plan));
  return renditions;
}

async function makeSprite(work: Work, rendition: Rendition, durationMs: number): Promise<Sprite> {
  const plan = { ...planSprite({ ...rendition, durationMs }), path: join(work.outDir, "sprite.jpg") };
  const input = { path: rendition.path, container: "mp4", limits: work.limits } as const;
  const end = await run(work, spriteArgs(input, plan), [plan.path], work.limits.transcodeTimeoutMs, { path: input.path });
  const { path, tile, columns, rows, tileCount, intervalSeconds } = plan;
  const sizeBytes = await sizeOf(path);
  if (end.exitCode !== 0 || sizeBytes === 0) throw internalError(end, { retryable: true });
  return {
    path,
    contentType: "image/jpeg",
    width: columns * tile.width,
    height: rows * tile.height,
    sizeBytes,
    tileWidth: tile.width,
    tileHeight: tile.height,
    tileCount,
    intervalMs: 1000 * intervalSeconds,
  };
}

async function run(
  work: Work,
  args: string[],
  writes: string[],
  timeoutMs: number,
  { path, onLine }: { readonly path: string; readonly onLine?: (line: string) => boolean },
): Promise<ChildEnd> {
  const { engine, limits, outDir, signal, output } = work;
  const stallTimeoutMs = onLine && limits.stallTimeoutMs;
  const end = await engine.run(
    { tool: "ffmpeg", args, reads: [path], writes, limits },
    { cwd: outDir, signal, timeoutMs, outputMaxBytes: PROGRESS_MAX_BYTES, onLine, stallTimeoutMs, inspect: output.inspect },
  );
  signal?.throwIfAborted();
  await output.check(end);
  requireNormalExit(end);
  return end;
}

/** Measures a rendition, because ffmpeg exits with success for a truncated video, too. Its streams are known: picture and sound. */
async function measureRendition(work: Work, plan: RenditionPlan): Promise<Rendition> {
  const { info, limits } = work;
  const anyLength = { ...limits, durationMaxMs: Number.MAX_SAFE_INTEGER };
  const input: ProbeInput = { ...work, path: plan.path, container: "mp4", limits: anyLength };
  const made = await measure(input, { index: 0 }, info.sound && { index: 1, channels: 2 }).catch((error: unknown) => {
    throw error instanceof MediaFailure && error.code === "corrupt_media" ? undecodable(error) : error;
  });
  // A rendition can be some milliseconds longer, and is cut a second above the limit.
  if (made.durationMs > limits.durationMaxMs + 500) throw tooLong(limits);
  // Compares frames, so that complete sound does not hide truncated video.
  const { lastFrameMs } = made;
  if (lastFrameMs < info.lastFrameMs * DURATION_RATIO_MIN) throw undecodable({ source: info, lastFrameMs });
  const { name, path, width, height } = plan;
  return { name, path, contentType: "video/mp4", width, height, sizeBytes: await sizeOf(path), durationMs: made.durationMs };
}

const unsupported = (detail: string) => (cause: unknown) => new MediaFailure("unsupported_media", detail, { cause });

/** Limits of ffmpeg, which say nothing about damage of the file. */
const LIMITS = [
  [/Cannot allocate memory/, unsupported("The video needs more memory than the service gives to one video.")],
  [/Too many packets buffered/, unsupported("The sound and the picture are too far apart in the file.")],
] as const;

const undecodable = (cause: unknown) =>
  new MediaFailure("corrupt_media", "The video could not be decoded to its end.", { cause });

const sizeOf = async (path: string) => (await stat(path).catch(() => null))?.size ?? 0;
