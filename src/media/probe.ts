/**
 * Describes a video with ffprobe in a separate process. The service itself parses only the first bytes and the lengths of boxes.
 */
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { z } from "zod";
import { requireNormalExit, type ChildEnd } from "./child-process.ts";
import { chooseAudio, chooseVideo, streamSchema, unsupportedCodec, type Stream } from "./choose-streams.ts";
import { INTERLACED_CODECS } from "./codecs.ts";
import { coloursOf, colourTags } from "./colours.ts";
import { CONTAINER_PROBE_BYTES, recogniseContainer, type Container } from "./container.ts";
import type { Engine } from "./engine.ts";
import type { StreamChoice } from "./ffmpeg-args.ts";
import { isTruncated } from "./is-truncated.ts";
import { DEFAULT_MEDIA_LIMITS, type MediaLimits } from "./limits.ts";
import { measuredDurationMs, tooLong } from "./measured-duration.ts";
import { MediaFailure } from "./media-failure.ts";
import { orientationOf, type Orientation } from "./orientation.ts";
import { runProbe, type ProbeInput } from "./run-probe.ts";
import { sharesSamples } from "./sample-sizes.ts";

/** `width` and `height` include the orientation already. */
export type MediaInfo = StreamChoice & {
  readonly container: Container;
  readonly durationMs: number;
  /** The duration of the video stream; null if not declared separately. */
  readonly videoDurationMs: number | null;
  /** The displayed size: after rotation, and with square pixels. */
  readonly width: number;
  readonly height: number;
  readonly videoCodec: string;
  readonly audioCodec: string | null;
};

export type MediaOptions = { readonly signal?: AbortSignal | undefined; readonly limits?: Partial<MediaLimits> | undefined };

/** A file can begin this late because of frame reordering, without an effect on its duration. */
const DECLARED_START_MAX_MS = 100;
/** The deinterlacing filter refuses smaller frames. */
const INTERLACED_SIDE_MIN = 16;

const reportSchema = z.object({
  error: z.object({}).optional(),
  format: z.object({ start_time: z.string().optional(), duration: z.string().optional(), nb_streams: z.number() }).optional(),
  streams: z.array(streamSchema).default([]),
});
type Report = z.infer<typeof reportSchema>;

const SHOWN_ENTRIES = [
  "format=start_time,duration,nb_streams",
  "stream=index,codec_type,codec_name,width,height,sample_aspect_ratio,pix_fmt,avg_frame_rate,start_time,duration",
  `stream=${Object.keys(colourTags).join(",")}`,
  "stream_disposition=default,attached_pic,timed_thumbnails",
  "stream_side_data=displaymatrix",
].join(":");

/** Describes a video. Throws a `MediaFailure` if it is not accepted. The child can open no other file and no socket. */
export async function probe(engine: Engine, filePath: string, options: MediaOptions = {}): Promise<MediaInfo> {
  const limits = { ...DEFAULT_MEDIA_LIMITS, ...options.limits };
  const path = resolve(filePath);
  const container = await containerOf(path);
  if (await isTruncated(path, container)) throw new MediaFailure("corrupt_media", "The file is truncated.");
  const hasSampleTable = container === "mp4" || container === "mov";
  if (hasSampleTable && (await sharesSamples(path)))
    throw new MediaFailure("corrupt_media", "The index of the file lists more data than the file has.");
  const input: ProbeInput = { engine, path, container, limits, signal: options.signal };
  const report = await describe(input);

  if ((report.format?.nb_streams ?? 0) > limits.streamsMax)
    throw new MediaFailure("unsupported_media", `The file has more than ${limits.streamsMax} streams.`);
  const video = chooseVideo(report.streams, engine);
  const audio = chooseAudio(report.streams);
  const used = audio === null ? [video] : [video, audio];
  const shape = shapeOf(video, limits);
  const rate = ratio(video.avg_frame_rate);
  const fileStartMs = startOf([report.format ?? {}]) ?? 0;
  const startMs = startOf(used) ?? fileStartMs;
  const indexes = used.map(({ index }) => index);
  const durationMs = declaredDurationMs(report, container, startMs) ?? (await measuredDurationMs(input, indexes));
  if (durationMs > limits.durationMaxMs) throw tooLong(limits);
  if (durationMs <= 0) throw new MediaFailure("corrupt_media", "The video has no duration.");
  return {
    container,
    durationMs,
    videoDurationMs: isEstimated(container) ? null : milliseconds(video.duration),
    ...shape,
    videoCodec: video.codec_name!,
    audioCodec: audio?.codec_name ?? null,
    colours: coloursOf(video),
    framesPerSecond: rate === null ? null : Math.round(rate * 1000) / 1000,
    videoStreamIndex: video.index,
    audioStreamIndex: audio?.index ?? null,
    canBeInterlaced: INTERLACED_CODECS.includes(video.codec_name!) && Math.min(shape.width, shape.height) >= INTERLACED_SIDE_MIN,
    leadMs: Math.max(0, startMs - fileStartMs),
  };
}

/** Null if no reliable duration is declared. */
function declaredDurationMs({ format }: Report, container: Container, startMs: number): number | null {
  if (isEstimated(container)) return null;
  const declaredMs = milliseconds(format?.duration);
  // Matroska declares the end time. MP4 can do so, depending on its edit list.
  if (declaredMs !== null && (container === "webm" || container === "mkv")) return declaredMs - Math.max(0, startMs);
  return startMs > DECLARED_START_MAX_MS ? null : declaredMs;
}

/** AVI has no timestamps, and MPEG-TS has no header, so ffprobe only estimates their duration. */
const isEstimated = (container: Container) => container === "avi" || container === "ts";

/** The earliest start; null if none is known. */
function startOf(parts: readonly { readonly start_time?: string | undefined }[]): number | null {
  const startsMs = parts.map(({ start_time }) => Number(start_time) * 1000).filter(Number.isFinite);
  return startsMs.length === 0 ? null : Math.round(Math.min(...startsMs));
}

async function containerOf(path: string): Promise<Container> {
  await using file = await open(path, "r");
  const { buffer, bytesRead } = await file.read(Buffer.alloc(CONTAINER_PROBE_BYTES), 0, CONTAINER_PROBE_BYTES, 0);
  if (bytesRead === 0) throw new MediaFailure("corrupt_media", "The file is empty.");
  const container = recogniseContainer(buffer.subarray(0, bytesRead));
  if (container === null)
    throw new MediaFailure("unsupported_media", "The file is not an MP4, QuickTime, WebM, Matroska, AVI or MPEG-TS video.");
  return container;
}

async function describe(input: ProbeInput): Promise<Report> {
  const end = await runProbe(input, ["-show_error", "-show_entries", SHOWN_ENTRIES, "-of", "json=compact=1"]);
  input.signal?.throwIfAborted();
  // Checked first: the line quotes text of the file, which could imitate errors that `requireNormalExit` recognises.
  if (end.stderr.includes("Skipped opening external track"))
    throw new MediaFailure("unsupported_media", "The file refers to another file for its video.");
  requireNormalExit(end);
  // ffprobe then fails without a report. The codec name comes from a table of ffprobe, not from the file.
  const refused = /Codec \((\w{1,40})\) not on whitelist[^\n]*\n[^\n]*Could not open codec for input stream/.exec(
    end.stderr,
  )?.[1];
  if (refused !== undefined) throw unsupportedCodec(refused);
  // The decoder refuses a too large frame before ffprobe reports its size.
  const [, width, height] = /Picture size (\d+)x(\d+) /.exec(end.stderr) ?? [];
  if (Number(width) * Number(height) > input.limits.framePixelsMax) throw tooManyPixels(input.limits);
  const report = reportOf(end);
  if (report.error !== undefined || report.format === undefined || report.format.nb_streams === 0)
    throw new MediaFailure("corrupt_media", "The video cannot be read.", { cause: end.stderr });
  return report;
}

function reportOf(end: ChildEnd): Report {
  try {
    return reportSchema.parse(JSON.parse(end.stdout));
  } catch (error) {
    throw new MediaFailure("internal_error", "The video could not be examined.", { cause: [end, error], retryable: true });
  }
}

function shapeOf(video: Stream, limits: MediaLimits): Orientation & Pick<MediaInfo, "width" | "height"> {
  const { width: storedWidth = 0, height = 0 } = video;
  if (storedWidth <= 0 || height <= 0) throw new MediaFailure("corrupt_media", "The video has no frame size.");
  if (storedWidth * height > limits.framePixelsMax) throw tooManyPixels(limits);
  // The sample aspect ratio is the displayed width of a pixel divided by its height.
  const width = Math.max(1, Math.round(storedWidth * (ratio(video.sample_aspect_ratio) ?? 1)));
  if (Math.max(width, height) > limits.frameSideMax)
    throw new MediaFailure("unsupported_media", `The picture is more than ${limits.frameSideMax} pixels wide or high.`);
  const orientation = orientationOf(video.side_data_list?.find((it) => it.displaymatrix !== undefined)?.displaymatrix);
  // Without a pixel format, ffprobe could not decode any frame.
  if (video.pix_fmt === undefined) throw new MediaFailure("corrupt_media", "The video has no frame that can be shown.");
  return orientation.rotation % 180 === 0 ? { width, height, ...orientation } : { width: height, height: width, ...orientation };
}

function milliseconds(declaredSeconds: string | undefined): number | null {
  const seconds = Number(declaredSeconds);
  return Number.isFinite(seconds) && seconds > 0 ? Math.round(seconds * 1000) : null;
}

const tooManyPixels = ({ framePixelsMax }: MediaLimits) =>
  new MediaFailure("unsupported_media", `The picture has more than ${framePixelsMax} pixels.`);

/** The value of a ratio such as "30000/1001" or "4:3"; null if not declared. */
function ratio(declared = ""): number | null {
  const [over = 0, under = 0] = declared.split(/[/:]/).map(Number);
  return over > 0 && under > 0 ? over / under : null;
}
