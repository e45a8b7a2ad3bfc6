/** What one video may cost. Every number is a bound that a hostile file will try to reach. */
export type MediaLimits = {
  readonly durationMaxMs: number;
  /** Width times height of a frame. */
  readonly framePixelsMax: number;
  /** Each side of the picture as it is shown; the contract can state no more. */
  readonly frameSideMax: number;
  readonly streamsMax: number;
  readonly probeTimeoutMs: number;
  readonly transcodeTimeoutMs: number;
  /** A transcode that reports no advance for so long is given up. */
  readonly stallTimeoutMs: number;
  /** Address space of a native process, or heap of a wasm one. */
  readonly memoryMaxBytes: number;
  /** The largest file one command may write. */
  readonly outputMaxBytes: number;
  readonly threads: number;
};

const MINUTE_MS = 60_000;
const GIB_BYTES = 1024 ** 3;

/** Room for real videos on a small machine. */
export const DEFAULT_MEDIA_LIMITS: MediaLimits = {
  durationMaxMs: 4 * 60 * MINUTE_MS,
  framePixelsMax: 8192 * 4320,
  frameSideMax: 65_535,
  streamsMax: 32,
  probeTimeoutMs: MINUTE_MS,
  transcodeTimeoutMs: 6 * 60 * MINUTE_MS,
  stallTimeoutMs: 2 * MINUTE_MS,
  memoryMaxBytes: 2 * GIB_BYTES,
  outputMaxBytes: 16 * GIB_BYTES,
  threads: 1,
};
