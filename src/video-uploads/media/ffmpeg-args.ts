/** The argument lists of ffmpeg and ffprobe. They serve both engines, because both see the same paths. */
import { DECODER_WHITELIST } from "./codecs.ts";
import type { Container } from "./container.ts";
import type { MediaLimits } from "./limits.ts";

export type InputFile = { readonly path: string; readonly container: Container; readonly limits: MediaLimits };
export type FrameSize = { readonly width: number; readonly height: number };
export type RenditionPlan = FrameSize & { readonly name: string; readonly path: string; readonly maxRateKilobits: number };
type PosterPlan = FrameSize & { readonly path: string; readonly atMs: number };
/** The input streams to use, by index, and the frame rate of the video. */
type StreamChoice = {
  readonly videoStreamIndex: number;
  readonly audioStreamIndex: number | null;
  readonly framesPerSecond: number | null;
};

const FRAMES_PER_SECOND_MAX = 60;

/** Splits arguments at spaces. No argument contains a space. */
const words = (text: string): string[] => text.split(" ");

/** The input and its options. They name the demuxer, so that ffmpeg tries no other one, and the codecs that it may open. */
export function inputArgs({ path, container, limits }: InputFile): string[] {
  const isQuickTime = container === "mp4" || container === "mov";
  return [
    ...words("-protocol_whitelist file -format_whitelist mov,matroska"),
    ...words(`-codec_whitelist ${DECODER_WHITELIST} -max_pixels ${limits.framePixelsMax}`),
    // References to data in other files are off by default. This keeps them off if a later version changes the default.
    ...words(isQuickTime ? "-f mov -enable_drefs 0 -use_absolute_path 0" : "-f matroska"),
    "-i",
    `file:${path}`,
  ];
}

/** The first options of both tools: the log level, and a quarter of the memory limit for a single allocation. */
export function commonArgs(limits: MediaLimits, logLevel: "error" | "warning"): string[] {
  return words(`-hide_banner -loglevel ${logLevel} -max_alloc ${Math.floor(limits.memoryMaxBytes / 4)}`);
}

/** Saves one frame of the video as a JPEG. */
export function posterArgs(input: InputFile, poster: PosterPlan, { videoStreamIndex }: StreamChoice): string[] {
  return [
    ...transcodingArgs(input.limits),
    ...words(`-ss ${seconds(poster.atMs)}`),
    ...inputArgs(input),
    ...words(`-map 0:${videoStreamIndex} -frames:v 1 ${PLAIN_OUTPUT}`),
    ...words(`-vf ${scaleTo(poster)},format=yuvj420p`),
    // Standard Huffman tables, because computing optimal ones crashes or hangs the wasm build (measured).
    ...words("-c:v mjpeg -huffman default -q:v 3 -f mjpeg -y"),
    `file:${poster.path}`,
  ];
}

/** Makes all renditions in one run, so that the video is decoded once. */
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
      // The maximum rate limits the size of the file, even for a video of pure noise.
      ...words(`-maxrate ${maxRateKilobits}k -bufsize ${2 * maxRateKilobits}k -threads ${input.limits.threads}`),
      // One second over the limit, so that a video longer than it declares is found to be too long.
      ...words(`-t ${seconds(input.limits.durationMaxMs + 1000)} -movflags +faststart -f mp4 -y`),
      // Where the system has no limits for a process. It cuts the video, so the caller looks at the size.
      ...words(`-fs ${input.limits.outputMaxBytes}`),
      `file:${path}`,
    ]),
  ];
}

/** Scales to the size of the picture as shown, so the pixels of the output are square. */
const scaleTo = ({ width, height }: FrameSize) => `scale=${width}:${height},setsar=1`;

/** Scales down to a shorter side of at most `shortSide`, never up. Both sides are even, as H.264 requires. */
export function fitFrame({ width, height }: FrameSize, shortSide: number): FrameSize {
  const longSide = 4 * shortSide; // For a long, narrow picture, the longer side is the limit.
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

/** Keeps only picture and sound of the upload: no subtitles, data streams, titles, locations or chapters. */
const PLAIN_OUTPUT = "-sn -dn -map_metadata -1 -map_chapters -1";

const seconds = (durationMs: number) => (durationMs / 1000).toFixed(3);
