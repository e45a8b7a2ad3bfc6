/**
 * Describes a video with ffprobe in a separate process. The service itself parses only the first bytes and the lengths of boxes.
 */
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import type { DiskBudget } from "./bounded-output.ts";
import { chooseVideo, mixedChannelsOf, rankSounds, requireDecodable, type Stream } from "./choose-streams.ts";
import { withOneClock } from "./clocks.ts";
import { INTERLACED_CODECS } from "./codecs.ts";
import { coloursOf } from "./colours.ts";
import { containerOf, type Container } from "./container.ts";
import { describe, tooManyPixels } from "./describe.ts";
import type { Engine } from "./engine.ts";
import type { StreamChoice } from "./ffmpeg-args.ts";
import { isTruncated } from "./is-truncated.ts";
import { DEFAULT_MEDIA_LIMITS, type MediaLimits } from "./limits.ts";
import { firstWithPackets, measure } from "./measure.ts";
import { MediaFailure } from "./media-failure.ts";
import { orientationOf, type Orientation } from "./orientation.ts";
import type { ProbeInput } from "./run-probe.ts";
import { sharesSamples } from "./sample-sizes.ts";

/** `width` and `height` include the orientation already. */
export type MediaInfo = StreamChoice & {
  readonly container: Container;
  /** Measured, as the rates and times of the streams. */
  readonly durationMs: number;
  /** The displayed size: after rotation, and with square pixels. */
  readonly width: number;
  readonly height: number;
  readonly videoCodec: string;
  readonly audioCodec: string | null;
  /** The file to process instead, if the clock of the original jumps. It is beside the original. */
  readonly copyWithOneClock: string | null;
};

export type MediaOptions = {
  readonly signal?: AbortSignal | undefined;
  readonly limits?: Partial<MediaLimits> | undefined;
  /** By default, only the free space of the disk. */
  readonly budget?: DiskBudget | undefined;
};

/** The deinterlacing filter refuses smaller frames. */
const INTERLACED_SIDE_MIN = 16;

/** Describes a video. Throws a `MediaFailure` if it is not accepted. The child can open no other file and no socket. */
export async function probe(engine: Engine, filePath: string, options: MediaOptions = {}): Promise<MediaInfo> {
  const limits = { ...DEFAULT_MEDIA_LIMITS, ...options.limits };
  const path = resolve(filePath);
  const container = await requireContainer(path);
  if (await isTruncated(path, container)) throw new MediaFailure("corrupt_media", "The file is truncated.");
  const hasSampleTable = container === "mp4" || container === "mov";
  if (hasSampleTable && (await sharesSamples(path)))
    throw new MediaFailure("corrupt_media", "The index of the file lists more data than the file has.");
  const minFreeBytes = options.budget?.minFreeBytes ?? 0;
  const input: ProbeInput = { engine, path, container, limits, signal: options.signal, minFreeBytes };
  const { streams, programs } = await describe(input);
  const video = chooseVideo(streams, engine);
  const shape = shapeOf(video, limits);
  const { audio, ...measured } = await measureWithSound(input, video, rankSounds(streams, video, programs));
  return {
    container,
    ...measured,
    ...shape,
    videoCodec: video.codec_name!,
    audioCodec: audio?.codec_name ?? null,
    colours: coloursOf(video),
    mixedChannels: audio === null ? null : mixedChannelsOf(audio),
    canBeInterlaced: INTERLACED_CODECS.includes(video.codec_name!) && Math.min(shape.width, shape.height) >= INTERLACED_SIDE_MIN,
  };
}

/** Measures the video with the first of these sounds that has packets, if any. Only that one must be decodable. */
async function measureWithSound(input: ProbeInput, video: Stream, sounds: readonly Stream[]) {
  const chosen = await firstWithPackets(input, sounds);
  if (chosen !== null) requireDecodable(chosen);
  const path = input.container === "ts" ? await withOneClock(input, video, chosen) : null;
  const [picture, sound] = path === null ? [video, chosen] : [{ ...video, index: 0 }, chosen && { ...chosen, index: 1 }];
  const measured = await measure({ ...input, path: path ?? input.path }, picture, sound);
  // Without a packet that has a time, there is nothing to hear.
  const audio = measured.sound === null ? null : chosen;
  const streams = { videoStreamIndex: picture.index, audioStreamIndex: audio === null ? null : sound!.index };
  return { ...measured, ...streams, audio, copyWithOneClock: path };
}

async function requireContainer(path: string): Promise<Container> {
  await using file = await open(path, "r");
  const container = await containerOf(file);
  if (container === "empty") throw new MediaFailure("corrupt_media", "The file is empty.");
  if (container === null)
    throw new MediaFailure("unsupported_media", "The file is not an MP4, QuickTime, WebM, Matroska, AVI or MPEG-TS video.");
  return container;
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

/** The value of a ratio such as "30000/1001" or "4:3"; null if not declared. */
function ratio(declared = ""): number | null {
  const [over = 0, under = 0] = declared.split(/[/:]/).map(Number);
  return over > 0 && under > 0 ? over / under : null;
}
