/** The argument lists. One list serves both engines, because both see the same paths. */
import { DECODER_WHITELIST } from "./codecs.ts";
import type { Container } from "./container.ts";
import type { MediaLimits } from "./limits.ts";

export type InputFile = { readonly path: string; readonly container: Container; readonly limits: MediaLimits };
export type FrameSize = { readonly width: number; readonly height: number };
export type RenditionPlan = FrameSize & { readonly name: string; readonly path: string; readonly maxRateKilobits: number };
type PosterPlan = FrameSize & { readonly path: string; readonly atMs: number };
/** Which streams of the input, by index, and how fast its pictures follow each other. */
type StreamChoice = {
  readonly videoStreamIndex: number;
  readonly audioStreamIndex: number | null;
  readonly framesPerSecond: number | null;
};

const FRAMES_PER_SECOND_MAX = 60;

/** Arguments as one would type them; none of them has a space in it. */
const words = (text: string): string[] => text.split(" ");

/** Before `-i`: the demuxer is named, so no other one is even tried; what it may open, and in which codecs, is named too. */
export function inputArgs({ path, container, limits }: InputFile): string[] {
  const isQuickTime = container === "mp4" || container === "mov";
  return [
    ...words("-protocol_whitelist file -format_whitelist mov,matroska"),
    ...words(`-codec_whitelist ${DECODER_WHITELIST} -max_pixels ${limits.framePixelsMax}`),
    // Data in other files, by reference, is off by default, and stays off whatever a later version thinks.
    ...words(isQuickTime ? "-f mov -enable_drefs 0 -use_absolute_path 0" : "-f matroska"),
    "-i",
    `file:${path}`,
  ];
}

/** For both tools, first of all: how much to say, and no single allocation as large as the whole allowance. */
export function commonArgs(limits: MediaLimits, logLevel: "error" | "warning"): string[] {
  return words(`-hide_banner -loglevel ${logLevel} -max_alloc ${Math.floor(limits.memoryMaxBytes / 4)}`);
}

/** One picture of the video as a JPEG. */
export function posterArgs(input: InputFile, poster: PosterPlan, { videoStreamIndex }: StreamChoice): string[] {
  return [
    ...transcodingArgs(input.limits),
    ...words(`-ss ${seconds(poster.atMs)}`),
    ...inputArgs(input),
    ...words(`-map 0:${videoStreamIndex} -frames:v 1 ${PLAIN_OUTPUT}`),
    ...words(`-vf ${scaleTo(poster)},format=yuvj420p`),
    // The tables are the standard ones: computing better ones crashes or hangs the wasm build (measured).
    ...words("-c:v mjpeg -huffman default -q:v 3 -f mjpeg -y"),
    `file:${poster.path}`,
  ];
}

/** All renditions in one run, so that the video is decoded once. */
export function renditionArgs(input: InputFile, renditions: readonly RenditionPlan[], streams: StreamChoice): string[] {
  const slower = (streams.framesPerSecond ?? 0) > FRAMES_PER_SECOND_MAX ? `fps=${FRAMES_PER_SECOND_MAX},` : "";
  const audio =
    streams.audioStreamIndex === null ? "-an" : `-map 0:${streams.audioStreamIndex} -c:a aac -b:a 128k -ac 2 -ar 48000`;
  return [
    ...transcodingArgs(input.limits),
    ...words("-progress pipe:1 -stats_period 0.5"),
    ...inputArgs(input),
    ...renditions.flatMap(({ maxRateKilobits, path, ...size }) => [
      ...words(`-map 0:${streams.videoStreamIndex} ${audio} ${PLAIN_OUTPUT} -vf ${slower}${scaleTo(size)}`),
      ...words("-c:v libx264 -preset veryfast -crf 23 -pix_fmt yuv420p"),
      // The bound on the rate is what bounds the size of a file, whatever noise it shows.
      ...words(`-maxrate ${maxRateKilobits}k -bufsize ${2 * maxRateKilobits}k -threads ${input.limits.threads}`),
      // One second over the limit, so that a video longer than it declared shows as too long.
      ...words(`-t ${seconds(input.limits.durationMaxMs + 1000)} -movflags +faststart -f mp4 -y`),
      `file:${path}`,
    ]),
  ];
}

/** The size is that of the picture as shown, so that every pixel is a square from here on. */
const scaleTo = ({ width, height }: FrameSize) => `scale=${width}:${height},setsar=1`;

/** Scaled down to a shorter side of at most `shortSide`, never up; both sides even, as H.264 wants them. */
export function fitFrame({ width, height }: FrameSize, shortSide: number): FrameSize {
  const longSide = 4 * shortSide; // A ribbon of a picture is held by its length instead.
  const scale = Math.min(1, shortSide / Math.min(width, height), longSide / Math.max(width, height));
  const even = (side: number): number => {
    const nearest = 2 * Math.round((side * scale) / 2);
    return Math.max(2, nearest > side ? nearest - 2 : nearest);
  };
  return { width: even(width), height: even(height) };
}

function transcodingArgs(limits: MediaLimits): string[] {
  const { threads } = limits;
  return [...commonArgs(limits, "error"), ...words(`-nostdin -nostats -filter_threads ${threads} -threads ${threads}`)];
}

/** Nothing of the uploader's but picture and sound: no subtitles, data, titles, places or chapters. */
const PLAIN_OUTPUT = "-sn -dn -map_metadata -1 -map_chapters -1";

const seconds = (durationMs: number) => (durationMs / 1000).toFixed(3);
