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

const minuteMs = 60_000;
const gibibyteBytes = 1024 ** 3;

/** Room for real videos on a small machine. */
export const defaultMediaLimits: MediaLimits = {
  durationMaxMs: 4 * 60 * minuteMs,
  framePixelsMax: 8192 * 4320,
  frameSideMax: 65_535,
  streamsMax: 32,
  probeTimeoutMs: minuteMs,
  transcodeTimeoutMs: 6 * 60 * minuteMs,
  stallTimeoutMs: 2 * minuteMs,
  memoryMaxBytes: 2 * gibibyteBytes,
  outputMaxBytes: 16 * gibibyteBytes,
  threads: 1,
};
