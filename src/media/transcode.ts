/** Makes a poster from an upload, and renditions that every browser plays. */
import { mkdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { boundOutput, type DiskBudget } from "./bounded-output.ts";
import { requireNormalExit, type ChildEnd } from "./child-process.ts";
import type { Engine } from "./engine.ts";
import { posterArgs, renditionArgs, type RenditionPlan, type SpritePlan } from "./ffmpeg-args.ts";
import { fitFrame, type FrameSize } from "./frame-size.ts";
import { DEFAULT_MEDIA_LIMITS } from "./limits.ts";
import { measuredDurationMs, tooLong } from "./measured-duration.ts";
import { MediaFailure } from "./media-failure.ts";
import { probe, type MediaInfo, type MediaOptions } from "./probe.ts";
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
export type TranscodeResult = { readonly poster: MediaFile; readonly sprite: Sprite; readonly renditions: readonly Rendition[] };

export type TranscodeOptions = MediaOptions & {
  /** Called with a whole percentage, from 0 to 100. It must not throw. */
  readonly onProgress?: (percent: number) => void;
  /** By default, only the free space of the disk. */
  readonly budget?: DiskBudget | undefined;
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
/** Audio and container. */
const OTHER_KILOBITS = 160;
/** The encoder can exceed its maximum rate for this time: the size of its buffer. */
const RATE_BUFFER_MS = 2_000;
/** A rendition with less than this share of the declared duration may come from a truncated source. */
const DURATION_RATIO_MIN = 0.95;
const PROGRESS_MAX_BYTES = 256 * 1024 * 1024;

type Work = ProbeInput & {
  readonly info: MediaInfo;
  readonly outDir: string;
  readonly plans: readonly RenditionPlan[];
  readonly spritePlan: SpritePlan;
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
  const { signal } = options;
  const [path, folder] = [resolve(inputPath), resolve(outDir)];
  await mkdir(folder, { recursive: true });
  const plans = renditionsOf(info).map((it) => ({ ...it, path: join(folder, `${it.name}.mp4`) }));
  const spritePlan = { ...planSprite(info), path: join(folder, "sprite.jpg") };
  const plan = { sourceBytes: await sizeOf(path), plannedBytes: plannedBytesOf(plans, spritePlan, info) };
  const output = await boundOutput(folder, plan, limits, options.budget ?? { minFreeBytes: 0, quotaBytes: Infinity });
  const bounded = { ...limits, outputMaxBytes: Math.min(limits.outputMaxBytes, output.maxBytes) };
  const { container } = info;
  const work: Work = { engine, path, container, limits: bounded, signal, info, outDir: folder, plans, spritePlan, output };
  let reportedPercent = -1;
  const report = (percent: number): void => {
    if (percent <= reportedPercent) return;
    reportedPercent = percent;
    options.onProgress?.(percent);
  };

  report(0);
  const poster = await makePoster(work);
  report(POSTER_PERCENT);
  const onDone = (part: number) => report(Math.min(99, POSTER_PERCENT + Math.floor(part * (100 - POSTER_PERCENT))));
  const made = await makeRenditions(work, onDone);
  report(100);
  signal?.throwIfAborted();
  return { poster, ...made };
}

/** The renditions to make of a video. */
export function renditionsOf(source: FrameSize): readonly Omit<RenditionPlan, "path">[] {
  const sourceShortSide = Math.min(source.width, source.height);
  const rungs = LADDER.filter(({ shortSide }, index) => index === 0 || sourceShortSide >= shortSide);
  return rungs.map(({ shortSide, ...rung }) => ({ ...rung, ...fitFrame(source, shortSide) }));
}

/** The maximum total size of the files, if the declared duration is correct. */
function plannedBytesOf(plans: readonly RenditionPlan[], sprite: SpritePlan, { durationMs }: MediaInfo): number {
  // Kilobits per second are bits per millisecond.
  const bits = plans.map(({ maxRateKilobits: rate }) => rate * (durationMs + RATE_BUFFER_MS) + OTHER_KILOBITS * durationMs);
  const { tile, columns, rows } = sprite;
  const spriteBytes = columns * rows * tile.width * tile.height * SPRITE_BYTES_PER_PIXEL;
  return POSTER_MAX_BYTES + spriteBytes + Math.ceil(bits.reduce((sum, it) => sum + it, 0) / 8);
}

async function makePoster(work: Work): Promise<MediaFile> {
  const path = join(work.outDir, "poster.jpg");
  const size = fitFrame(work.info, POSTER_SHORT_SIDE);
  // The first frame is often black, so a later one is tried first.
  for (const atMs of [Math.min(POSTER_LATEST_MS, Math.floor(work.info.durationMs / 10)), 0]) {
    const end = await run(work, posterArgs(work, { ...size, path, atMs }, work.info), [path], work.limits.probeTimeoutMs);
    const sizeBytes = await sizeOf(path);
    if (end.exitCode === 0 && sizeBytes > 0) return { path, contentType: "image/jpeg", ...size, sizeBytes };
  }
  throw new MediaFailure("corrupt_media", "The video has no frame that can be shown.");
}

async function makeRenditions(work: Work, onDone: (part: number) => void): Promise<Omit<TranscodeResult, "poster">> {
  const { info, limits, plans, spritePlan } = work;
  const onLine = createProgressReader((outTimeMs) => onDone(outTimeMs / info.durationMs));
  const paths = [...plans, spritePlan].map(({ path }) => path);
  const end = await run(work, renditionArgs(work, plans, spritePlan, info), paths, limits.transcodeTimeoutMs, onLine);
  if (end.exitCode !== 0) throw undecodable(end);
  const renditions: Rendition[] = [];
  // Messages about ignored streams don't count.
  const hasWarnings = end.stderr.split("\n").some((line) => line.trim() !== "" && !line.includes("not on whitelist"));
  for (const plan of plans) renditions.push(await probeRendition(work, plan, hasWarnings));
  return { sprite: await spriteOf(spritePlan), renditions };
}

async function spriteOf({ path, tile, columns, rows, tileCount, intervalSeconds }: SpritePlan): Promise<Sprite> {
  return {
    path,
    contentType: "image/jpeg",
    width: columns * tile.width,
    height: rows * tile.height,
    sizeBytes: await sizeOf(path),
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
  onLine?: (line: string) => boolean,
): Promise<ChildEnd> {
  const { engine, path, limits, outDir, signal, output } = work;
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

/** Probes a rendition, because ffmpeg exits with success for a truncated video, too. */
async function probeRendition(work: Work, plan: RenditionPlan, hasWarnings: boolean): Promise<Rendition> {
  const { engine, info, limits, signal } = work;
  const anyLength = { signal, limits: { ...limits, durationMaxMs: Number.MAX_SAFE_INTEGER } };
  const made = await probe(engine, plan.path, anyLength).catch((error: unknown) => {
    throw error instanceof MediaFailure && error.code === "corrupt_media" ? undecodable(error) : error;
  });
  if (made.durationMs > limits.durationMaxMs) throw tooLong(limits);
  // Compares the video streams if possible, so that complete audio does not hide truncated video.
  const [promisedMs, madeMs] =
    info.videoDurationMs !== null && made.videoDurationMs !== null
      ? [info.videoDurationMs, made.videoDurationMs]
      : [info.durationMs, made.durationMs];
  const leastMs = promisedMs * DURATION_RATIO_MIN;
  // A screen recording often ends with one long frame, so its rendition is shorter. Unlike a truncated file, it has all its
  // packets.
  if (madeMs < leastMs && (hasWarnings || (await measuredDurationMs(work, [info.videoStreamIndex])) < leastMs))
    throw undecodable({ promisedMs, madeMs });
  const { name, path, width, height } = plan;
  return { name, path, contentType: "video/mp4", width, height, sizeBytes: await sizeOf(path), durationMs: made.durationMs };
}

const undecodable = (cause: unknown) =>
  new MediaFailure("corrupt_media", "The video could not be decoded to its end.", { cause });

const sizeOf = async (path: string) => (await stat(path).catch(() => null))?.size ?? 0;
