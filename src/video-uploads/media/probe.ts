/** Describes a video with ffprobe in a separate process. The service itself reads only first bytes and outermost lengths. */
import { open } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { z } from "zod";
import { commonArgs, inputArgs, type InputFile } from "./ffmpeg-args.ts";
import { requireNormalExit, type ChildEnd } from "./child-process.ts";
import { AUDIO_CODECS, VIDEO_CODECS } from "./codecs.ts";
import { CONTAINER_PROBE_BYTES, recogniseContainer, type Container } from "./container.ts";
import type { Engine } from "./engine.ts";
import { isTruncated } from "./is-truncated.ts";
import { DEFAULT_MEDIA_LIMITS, type MediaLimits } from "./limits.ts";
import { MediaFailure } from "./media-failure.ts";
import { sharesSamples } from "./sample-sizes.ts";

export type MediaInfo = {
  readonly container: Container;
  readonly durationMs: number;
  /** The duration of the video stream; null if the container does not declare it separately. */
  readonly videoDurationMs: number | null;
  /** As a viewer sees it: with pixels as wide as they are shown, and after rotation. */
  readonly width: number;
  readonly height: number;
  /** Degrees by which a player turns the stored picture clockwise. `width` and `height` include it already. */
  readonly rotation: number;
  readonly videoCodec: string;
  readonly audioCodec: string | null;
  /** Null if the file does not declare it. */
  readonly framesPerSecond: number | null;
  /** The streams that were checked, so that no other is processed. */
  readonly videoStreamIndex: number;
  readonly audioStreamIndex: number | null;
};

export type MediaOptions = { readonly signal?: AbortSignal | undefined; readonly limits?: Partial<MediaLimits> | undefined };

export type Look = InputFile & { readonly engine: Engine; readonly signal: AbortSignal | undefined };

const JSON_MAX_BYTES = 1024 * 1024;
const PACKET_LIST_MAX_BYTES = 256 * 1024 * 1024;

const streamSchema = z.object({
  index: z.int(),
  codec_type: z.string().optional(),
  codec_name: z.string().optional(),
  width: z.number().optional(),
  height: z.number().optional(),
  sample_aspect_ratio: z.string().optional(),
  pix_fmt: z.string().optional(),
  avg_frame_rate: z.string().optional(),
  duration: z.string().optional(),
  disposition: z.object({ attached_pic: z.number() }).partial().optional(),
  side_data_list: z.array(z.object({ rotation: z.number() }).partial()).optional(),
});
const reportSchema = z.object({
  error: z.object({}).optional(),
  format: z.object({ duration: z.string().optional(), nb_streams: z.number() }).optional(),
  streams: z.array(streamSchema).default([]),
});
type Stream = z.infer<typeof streamSchema>;
type Report = z.infer<typeof reportSchema>;

const SHOWN_ENTRIES = [
  "format=duration,nb_streams",
  "stream=index,codec_type,codec_name,width,height,sample_aspect_ratio,pix_fmt,avg_frame_rate,duration",
  "stream_disposition=attached_pic",
  "stream_side_data=rotation",
].join(":");

/**
 * Describes the video at `filePath`. Throws a `MediaFailure` that says why the video is not accepted, or the reason of an
 * aborted signal. The child runs in the folder of the file, and opens no other file and no socket, whatever the bytes are.
 */
export async function probe(engine: Engine, filePath: string, options: MediaOptions = {}): Promise<MediaInfo> {
  const limits = { ...DEFAULT_MEDIA_LIMITS, ...options.limits };
  const path = resolve(filePath);
  const container = await containerOf(path);
  if (await isTruncated(path, container)) throw new MediaFailure("corrupt_media", "The file is truncated.");
  const hasSampleTable = container === "mp4" || container === "mov";
  if (hasSampleTable && (await sharesSamples(path)))
    throw new MediaFailure("corrupt_media", "The index of the file lists more data than the file has.");
  const look: Look = { engine, path, container, limits, signal: options.signal };
  const report = await describe(look);

  if ((report.format?.nb_streams ?? 0) > limits.streamsMax)
    throw new MediaFailure("unsupported_media", `The file has more than ${limits.streamsMax} streams.`);
  const video = report.streams.find((it) => it.codec_type === "video" && it.disposition?.attached_pic !== 1);
  if (video === undefined) throw new MediaFailure("unsupported_media", "The file has no video stream.");
  const audio = report.streams.find((it) => it.codec_type === "audio" && it.codec_name !== undefined) ?? null;
  const videoCodec = acceptedCodec(video, VIDEO_CODECS, engine);
  const audioCodec = audio === null ? null : acceptedCodec(audio, AUDIO_CODECS, engine);
  const shape = shapeOf(video, limits);
  const rate = ratio(video.avg_frame_rate);
  const videoDurationMs = milliseconds(video.duration);
  const durationMs = milliseconds(report.format?.duration) ?? videoDurationMs ?? (await measuredDurationMs(look, video.index));
  if (durationMs > limits.durationMaxMs) throw tooLong(limits);
  if (durationMs <= 0) throw new MediaFailure("corrupt_media", "The video has no duration.");
  return {
    container,
    durationMs,
    videoDurationMs,
    ...shape,
    videoCodec,
    audioCodec,
    framesPerSecond: rate === null ? null : Math.round(rate * 1000) / 1000,
    videoStreamIndex: video.index,
    audioStreamIndex: audio?.index ?? null,
  };
}

async function containerOf(path: string): Promise<Container> {
  await using file = await open(path, "r");
  const { buffer, bytesRead } = await file.read(Buffer.alloc(CONTAINER_PROBE_BYTES), 0, CONTAINER_PROBE_BYTES, 0);
  if (bytesRead === 0) throw new MediaFailure("corrupt_media", "The file is empty.");
  const container = recogniseContainer(buffer.subarray(0, bytesRead));
  if (container === null)
    throw new MediaFailure("unsupported_media", "The file is not an MP4, QuickTime, WebM or Matroska video.");
  return container;
}

function runProbe(look: Look, args: string[], onLine?: (line: string) => boolean): Promise<ChildEnd> {
  const { engine, limits, path, signal } = look;
  const outputMaxBytes = onLine === undefined ? JSON_MAX_BYTES : PACKET_LIST_MAX_BYTES;
  return engine.run(
    { tool: "ffprobe", args: [...commonArgs(limits, "warning"), ...args, ...inputArgs(look)], reads: [path], writes: [], limits },
    { cwd: dirname(path), signal, timeoutMs: limits.probeTimeoutMs, outputMaxBytes, onLine },
  );
}

async function describe(look: Look): Promise<Report> {
  const end = await runProbe(look, ["-show_error", "-show_entries", SHOWN_ENTRIES, "-of", "json=compact=1"]);
  look.signal?.throwIfAborted();
  // Checked first: the line quotes the file, whose text could imitate the disk errors that `requireNormalExit` looks for.
  if (end.stderr.includes("Skipped opening external track"))
    throw new MediaFailure("unsupported_media", "The file refers to another file for its video.");
  requireNormalExit(end);
  // Then ffprobe fails on the whole file, without a report. The name comes from a table of ffprobe, not from the file.
  const refused = /Codec \((\w{1,40})\) not on whitelist/.exec(end.stderr)?.[1];
  if (refused !== undefined) throw unsupportedCodec(refused);
  // The decoder refuses a picture over our limit or an internal one before a report has its size.
  const [, width, height] = /Picture size (\d+)x(\d+) /.exec(end.stderr) ?? [];
  if (Number(width) * Number(height) > look.limits.framePixelsMax) throw tooManyPixels(look.limits);
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

function shapeOf(video: Stream, limits: MediaLimits): Pick<MediaInfo, "width" | "height" | "rotation"> {
  const { width: storedWidth = 0, height = 0 } = video;
  if (storedWidth <= 0 || height <= 0) throw new MediaFailure("corrupt_media", "The video has no frame size.");
  if (storedWidth * height > limits.framePixelsMax) throw tooManyPixels(limits);
  // The sample aspect ratio is the width of a stored pixel as shown, divided by its height.
  const width = Math.max(1, Math.round(storedWidth * (ratio(video.sample_aspect_ratio) ?? 1)));
  if (Math.max(width, height) > limits.frameSideMax)
    throw new MediaFailure("unsupported_media", `The picture is more than ${limits.frameSideMax} pixels wide or high.`);
  // ffprobe counts anticlockwise. Any other angle is rounded to the nearest right angle.
  const turned = video.side_data_list?.find((it) => it.rotation !== undefined)?.rotation ?? 0;
  const rotation = (((Math.round(-turned / 90) % 4) + 4) % 4) * 90;
  // Without a pixel format, ffprobe could not decode a single frame, even if the container describes the stream.
  if (video.pix_fmt === undefined) throw new MediaFailure("corrupt_media", "The video has no frame that can be shown.");
  return rotation % 180 === 0 ? { width, height, rotation } : { width: height, height: width, rotation };
}

function acceptedCodec(stream: Stream, accepted: readonly string[], engine: Engine): string {
  const codec = stream.codec_name ?? "unknown";
  // The wasm build recognises AV1 but has no software decoder for it.
  const decodable = accepted.includes(codec) && !(engine.kind === "wasm" && codec === "av1");
  if (!decodable) throw unsupportedCodec(codec);
  return codec;
}

const unsupportedCodec = (codec: string) => new MediaFailure("unsupported_media", `The codec ${codec} is not supported.`);

function milliseconds(declaredSeconds: string | undefined): number | null {
  const seconds = Number(declaredSeconds);
  return Number.isFinite(seconds) && seconds > 0 ? Math.round(seconds * 1000) : null;
}

/**
 * Measures how far the packets of a stream reach, without decoding them. Throws `too_long` as soon as they pass the limit.
 * Recordings made by a browser declare no duration, and a declared duration may be longer than the packets.
 */
export async function measuredDurationMs(look: Look, streamIndex: number): Promise<number> {
  const longEnough = new AbortController();
  const signal = AbortSignal.any([longEnough.signal, ...(look.signal === undefined ? [] : [look.signal])]);
  let endSeconds = 0;
  const end = await runProbe(
    { ...look, signal },
    ["-select_streams", String(streamIndex), "-show_entries", "packet=pts_time,duration_time", "-of", "csv=p=0"],
    (line) => {
      const [pts, duration] = line.split(",").map(Number);
      if (pts !== undefined && Number.isFinite(pts))
        endSeconds = Math.max(endSeconds, pts + (Number.isFinite(duration) ? (duration ?? 0) : 0));
      if (endSeconds * 1000 > look.limits.durationMaxMs) longEnough.abort();
      return true;
    },
  );
  look.signal?.throwIfAborted();
  if (longEnough.signal.aborted) throw tooLong(look.limits);
  requireNormalExit(end);
  return Math.round(endSeconds * 1000);
}

const tooManyPixels = ({ framePixelsMax }: MediaLimits) =>
  new MediaFailure("unsupported_media", `The picture has more than ${framePixelsMax} pixels.`);

export const tooLong = ({ durationMaxMs }: MediaLimits) =>
  new MediaFailure("too_long", `The video is longer than ${Math.floor(durationMaxMs / 1000)} seconds.`);

/** The value of a ratio such as "30000/1001" or "4:3"; null if the file does not declare it. */
function ratio(declared = ""): number | null {
  const [over = 0, under = 0] = declared.split(/[/:]/).map(Number);
  return over > 0 && under > 0 ? over / under : null;
}
