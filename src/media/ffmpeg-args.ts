/** The arguments of ffmpeg and ffprobe, for both engines. */
import { DECODER_WHITELIST, INITIALISED_WHITELIST } from "./codecs.ts";
import { posterFilters, renditionFilters, spriteFilters, type Colours } from "./colours.ts";
import type { Container } from "./container.ts";
import type { FrameSize } from "./frame-size.ts";
import type { MediaLimits } from "./limits.ts";
import type { Measured, Sound } from "./measured.ts";
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
  /** Whether frames can be interlaced. Only the decoder finds out which ones are. */
  readonly canBeInterlaced: boolean;
  /** The sound has more channels than ffmpeg can mix by itself: this many. */
  readonly mixedChannels: number | null;
} & Measured;

const DEMUXERS = { mp4: "mov", mov: "mov", webm: "matroska", mkv: "matroska", avi: "avi", ts: "mpegts" } as const;
export const FRAMES_PER_SECOND_MAX = 60;
/** Has the frame times of all usual rates, of films and of recorders that count milliseconds. */
const TICKS_PER_SECOND = 120_000;
const STILL_MIN_MS = 1_000;
/** Silence is made in memory, so a longer gap stays one. */
const FILLED_GAP_MAX_MS = 600_000;

/** Splits arguments at spaces. No argument contains a space. */
export const splitArgs = (text: string): string[] => text.split(" ");

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

/** Makes all renditions in one run, so that the video is decoded, deinterlaced and rotated once. */
export function renditionArgs(input: InputFile, renditions: readonly RenditionPlan[], streams: StreamChoice): string[] {
  const shared = [...displayFilters(streams), ...rateFilters(streams), `split=${renditions.length}`].join(",");
  const graph = [
    `[0:${streams.videoStreamIndex}]${shared}${renditions.map(({ name }) => `[${name}_source]`).join("")}`,
    ...renditions.map(({ name, ...size }) => `[${name}_source]${renditionFilters(streams.colours, size)}[${name}]`),
    // With one input, ffmpeg copies the HDR metadata and the matrix of the source. An unused second one prevents that.
    `[0:${streams.videoStreamIndex}]nullsink`,
  ];
  const source = [...offsetArgs(streams.leadMs), ...inputArgs(input)];
  const rate = Math.min(FRAMES_PER_SECOND_MAX, streams.framesInSecondMax);
  return [
    ...transcodingArgs(input.limits),
    ...splitArgs("-progress pipe:1 -stats_period 0.5"),
    ...source,
    // Once more for the sound: ffmpeg writes nothing before the first sound, which can be hours later in the file.
    ...(streams.sound === null ? [] : source),
    "-filter_complex",
    graph.join(";"),
    ...renditions.flatMap(({ name, maxRateKilobits, path }) => [
      ...splitArgs(`-map [${name}]`),
      ...soundArgs(streams),
      ...splitArgs(`${PLAIN_OUTPUT} -c:v libx264 -preset veryfast -crf 23 -pix_fmt yuv420p`),
      // Frames keep their times. The encoder chooses the level of a device by this rate, not by the declared one.
      ...splitArgs(`-fps_mode vfr -enc_time_base 1/${TICKS_PER_SECOND} -x264-params fps=${rate}`),
      ...lastPictureArgs(streams),
      // The maximum rate bounds the file size, even for noise.
      ...splitArgs(`-maxrate ${maxRateKilobits}k -bufsize ${2 * maxRateKilobits}k -threads ${input.limits.threads}`),
      // One second over the limit, so that a video that is longer than declared fails as too long.
      ...splitArgs(`-t ${seconds(input.limits.durationMaxMs + 1000)} -movflags +faststart -f mp4 -y`),
      `file:${path}`,
    ]),
  ];
}

/**
 * A last picture that stays is a single frame, as at the end of a screen recording. ffmpeg makes it an ordinary one. Without B-frames, the
 * last packet is the last picture, and MP4 has its duration.
 */
const lastPictureArgs = ({ durationMs, lastFrameMs }: StreamChoice): string[] =>
  durationMs - lastFrameMs < STILL_MIN_MS
    ? []
    : ["-bf", "0", "-bsf:v", `setts=pts=PTS:dts=DTS:duration='if(eq(NEXT_DTS,NOPTS),${seconds(durationMs)}/TB-DTS,DURATION)'`];

/** At most 60 frames a second: the first one of each sixtieth. */
const rateFilters = ({ framesInSecondMax }: StreamChoice): string[] => {
  const slot = (seconds: string) => `floor(${seconds}*${FRAMES_PER_SECOND_MAX}+0.25)`;
  if (framesInSecondMax <= FRAMES_PER_SECOND_MAX) return [];
  return [`select='isnan(prev_selected_t)+gt(${slot("t")},${slot("prev_selected_t")})'`];
};

/** Gaps are filled with silence, so that the sound is right for a player that counts samples, too. */
function soundArgs(streams: StreamChoice): string[] {
  const { audioStreamIndex, sound, mixedChannels, durationMs } = streams;
  if (audioStreamIndex === null || sound === null) return ["-an"];
  const side = (first: number) =>
    Array.from({ length: Math.ceil((mixedChannels! - first) / 2) }, (_, at) => `c${first + 2 * at}`).join("+");
  const filters = [
    // The right side gets the odd channels.
    ...(mixedChannels === null ? [] : [`pan=stereo|c0<${side(0)}|c1<${side(1)}`]),
    ...(sound.gapMaxMs > FILLED_GAP_MAX_MS
      ? []
      : [`aresample=async=1:min_hard_comp=0.03${startsLate(sound) ? ":first_pts=0" : ""}`]),
    // Without the silence with which an encoder fills its last frame.
    `atrim=end=${seconds(durationMs)}`,
  ];
  return [
    ...splitArgs(`-map 1:${audioStreamIndex}`),
    ...splitArgs(`-af ${filters.join(",")} -c:a aac -b:a 128k -ac 2 -ar 48000`),
  ];
}

/** If the sound changes its format, `first_pts` would make this silence once more, so it is set only if it is needed. */
const startsLate = ({ startMs }: Sound) => startMs > 20;

/** Makes the sprite from a finished rendition, which has its final times, colours and shape. */
export function spriteArgs(rendition: InputFile, sprite: SpritePlan): string[] {
  return [
    ...transcodingArgs(rendition.limits),
    // Nobody sees the edges of blocks in a tile, and removing them takes a quarter of the decoding.
    ...splitArgs("-skip_loop_filter all"),
    ...inputArgs(rendition),
    ...splitArgs(`-map 0:v:0 -frames:v 1 ${PLAIN_OUTPUT} -vf ${tiling(sprite)}`),
    // With standard Huffman tables, as the poster.
    ...splitArgs("-c:v mjpeg -huffman default -q:v 5 -f mjpeg -y"),
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
    ...splitArgs(`-nostdin -nostats -noautorotate ${ONE_CLOCK}`),
    ...splitArgs(`-filter_threads ${threads} -filter_complex_threads ${threads} -threads ${threads}`),
  ];
}

/**
 * ffmpeg makes the whole file begin at zero. This makes the used streams begin there. The microsecond is needed: without an offset,
 * each input of MPEG-TS begins with its own stream.
 */
export const offsetArgs = (leadMs: number): string[] => splitArgs(`-itsoffset -${seconds(leadMs)}001`);

/** A long gap is no other clock: `clocks.ts` has found these. */
export const ONE_CLOCK = "-dts_delta_threshold 1000000";

/** Removes subtitles, data streams, titles, locations and chapters. */
const PLAIN_OUTPUT = "-sn -dn -map_metadata -1 -map_chapters -1";

const seconds = (durationMs: number) => (durationMs / 1000).toFixed(3);
