/** The arguments of ffmpeg and ffprobe, for both engines. */
import { DECODER_WHITELIST, INITIALISED_WHITELIST } from "./codecs.ts";
import { posterFilters, renditionFilters, spriteFilters, type Colours } from "./colours.ts";
import type { Container } from "./container.ts";
import type { FrameSize } from "./frame-size.ts";
import type { MediaLimits } from "./limits.ts";
import { uprightFilters, type Orientation } from "./orientation.ts";

export type InputFile = { readonly path: string; readonly container: Container; readonly limits: MediaLimits };
export type RenditionPlan = FrameSize & { readonly name: string; readonly path: string; readonly maxRateKilobits: number };
/** Tiles from left to right and from top to bottom: `tileCount` of them, one for each `intervalSeconds`. */
export type SpritePlan = {
  readonly path: string;
  readonly tile: FrameSize;
  readonly columns: number;
  readonly rows: number;
  readonly tileCount: number;
  readonly intervalSeconds: number;
};
type PosterPlan = FrameSize & { readonly path: string; readonly atMs: number };
/** The input streams to use, by index, and how to process their frames and timestamps. */
export type StreamChoice = Orientation & {
  /** Only these streams were checked, so no others are processed. */
  readonly videoStreamIndex: number;
  readonly audioStreamIndex: number | null;
  readonly colours: Colours;
  /** Null if not declared. */
  readonly framesPerSecond: number | null;
  /** Whether frames can be interlaced. Only the decoder finds out which ones are. */
  readonly canBeInterlaced: boolean;
  /** How much later these streams begin than the file, because of an unused stream. */
  readonly leadMs: number;
};

const DEMUXERS = { mp4: "mov", mov: "mov", webm: "matroska", mkv: "matroska", avi: "avi", ts: "mpegts" } as const;
const FRAMES_PER_SECOND_MAX = 60;

/** Splits arguments at spaces. No argument contains a space. */
const splitArgs = (text: string): string[] => text.split(" ");

/** The input and its options, with the only demuxer and the only codecs that ffmpeg may use. */
export function inputArgs({ path, container, limits }: InputFile, more: readonly string[] = []): string[] {
  const demuxer = DEMUXERS[container];
  return [
    ...splitArgs(`-protocol_whitelist file -format_whitelist ${demuxer} -f ${demuxer}`),
    ...splitArgs(`-codec_whitelist ${DECODER_WHITELIST} -max_pixels ${limits.framePixelsMax}`),
    ...more,
    // Explicit, in case a later version enables references to other files by default.
    ...(demuxer === "mov" ? splitArgs("-enable_drefs 0 -use_absolute_path 0") : []),
    "-i",
    `file:${path}`,
  ];
}

/** ffprobe initialises a decoder for every stream; ffmpeg only for the used ones. */
export function probeArgs(): string[] {
  return ["v", "a", "s"].flatMap((type) => [`-codec_whitelist:${type}`, INITIALISED_WHITELIST]);
}

/** The first options of both tools: the log level, and a quarter of the memory limit for a single allocation. */
export function commonArgs(limits: MediaLimits, logLevel: "error" | "warning"): string[] {
  return splitArgs(`-hide_banner -loglevel ${logLevel} -max_alloc ${Math.floor(limits.memoryMaxBytes / 4)}`);
}

/** Saves one frame of the video as a JPEG. */
export function posterArgs(input: InputFile, poster: PosterPlan, streams: StreamChoice): string[] {
  return [
    ...transcodingArgs(input.limits),
    // ffmpeg adds the start of the file.
    ...splitArgs(`-ss ${seconds(poster.atMs + streams.leadMs)}`),
    ...inputArgs(input),
    ...splitArgs(`-map 0:${streams.videoStreamIndex} -frames:v 1 ${PLAIN_OUTPUT}`),
    "-vf",
    [...displayFilters(streams), posterFilters(streams.colours, poster)].join(","),
    // Standard Huffman tables, because computing optimal ones crashes or hangs the wasm build (measured).
    ...splitArgs("-c:v mjpeg -huffman default -q:v 3 -f mjpeg -y"),
    `file:${poster.path}`,
  ];
}

/** Makes all renditions and the sprite in one run, so that the video is decoded, deinterlaced and rotated once. */
export function renditionArgs(
  input: InputFile,
  renditions: readonly RenditionPlan[],
  sprite: SpritePlan,
  streams: StreamChoice,
): string[] {
  const slower = (streams.framesPerSecond ?? 0) > FRAMES_PER_SECOND_MAX ? [`fps=${FRAMES_PER_SECOND_MAX}`] : [];
  const shared = [...displayFilters(streams), ...slower, `split=${renditions.length}`].join(",");
  const graph = [
    `[0:${streams.videoStreamIndex}]${shared}${renditions.map(({ name }) => `[${name}_source]`).join("")}`,
    ...renditions.map(({ name, ...size }, index) => {
      // The sprite uses the smallest rendition: small frames with their final colours.
      const outputs = index === 0 ? `,split[${name}][tiled]` : `[${name}]`;
      return `[${name}_source]${renditionFilters(streams.colours, size)}${outputs}`;
    }),
    `[tiled]${tiling(sprite)}[sprite]`,
    // With one input, ffmpeg copies the HDR metadata and the matrix of the source. An unused second one prevents that.
    `[0:${streams.videoStreamIndex}]nullsink`,
  ];
  const audio =
    streams.audioStreamIndex === null ? "-an" : `-map 0:${streams.audioStreamIndex} -c:a aac -b:a 128k -ac 2 -ar 48000`;
  return [
    ...transcodingArgs(input.limits),
    ...splitArgs("-progress pipe:1 -stats_period 0.5"),
    // ffmpeg makes the whole file begin at zero. This makes the used streams begin there.
    ...splitArgs(`-itsoffset -${seconds(streams.leadMs)}`),
    ...inputArgs(input),
    "-filter_complex",
    graph.join(";"),
    ...renditions.flatMap(({ name, maxRateKilobits, path }) => [
      ...splitArgs(`-map [${name}] ${audio} ${PLAIN_OUTPUT}`),
      ...splitArgs("-c:v libx264 -preset veryfast -crf 23 -pix_fmt yuv420p"),
      // The maximum rate bounds the file size, even for noise.
      ...splitArgs(`-maxrate ${maxRateKilobits}k -bufsize ${2 * maxRateKilobits}k -threads ${input.limits.threads}`),
      // One second over the limit, so that a video that is longer than declared fails as too long.
      ...splitArgs(`-t ${seconds(input.limits.durationMaxMs + 1000)} -movflags +faststart -f mp4 -y`),
      `file:${path}`,
    ]),
    // With standard Huffman tables, as the poster.
    ...splitArgs(`-map [sprite] -an -frames:v 1 ${PLAIN_OUTPUT} -c:v mjpeg -huffman default -q:v 5 -f mjpeg -y`),
    `file:${sprite.path}`,
  ];
}

/** Each tile has the frame in the middle of its interval. If the frames end early, the last one fills the other tiles. */
const tiling = ({ tile, columns, rows, tileCount, intervalSeconds }: SpritePlan) =>
  [
    // Rounds to the nearest interval, so that the middle of each is shown, and passes the remaining frames at the end.
    `fps=1/${intervalSeconds}:start_time=0:eof_action=pass`,
    spriteFilters(tile),
    `tpad=stop=${tileCount}:stop_mode=clone`,
    `tile=${columns}x${rows}:nb_frames=${tileCount}`,
  ].join(",");

/** Deinterlaces and rotates the frames: the first filters of each chain. They don't change the number or times of frames. */
const displayFilters = ({ canBeInterlaced, ...orientation }: StreamChoice): string[] => [
  // Changes only the frames that the decoder marks as interlaced.
  ...(canBeInterlaced ? ["bwdif=mode=send_frame:deint=interlaced"] : []),
  ...uprightFilters(orientation),
];

function transcodingArgs(limits: MediaLimits): string[] {
  const { threads } = limits;
  return [
    ...commonArgs(limits, "error"),
    ...splitArgs("-nostdin -nostats -noautorotate"),
    ...splitArgs(`-filter_threads ${threads} -filter_complex_threads ${threads} -threads ${threads}`),
  ];
}

/** Removes subtitles, data streams, titles, locations and chapters. */
const PLAIN_OUTPUT = "-sn -dn -map_metadata -1 -map_chapters -1";

const seconds = (durationMs: number) => (durationMs / 1000).toFixed(3);
