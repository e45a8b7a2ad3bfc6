import { constants } from "node:os";

const MINUTE_MS = 60_000;
const GIB_BYTES = 1024 ** 3;

/** The limits for one video: enough for real videos on a small machine. */
export const DEFAULT_MEDIA_LIMITS = {
  durationMaxMs: 4 * 60 * MINUTE_MS,
  /** Width times height of a frame. */
  framePixelsMax: 8192 * 4320,
  /** Each side of the displayed frame. The maximum in the contract. */
  frameSideMax: 65_535,
  streamsMax: 32,
  probeTimeoutMs: MINUTE_MS,
  transcodeTimeoutMs: 6 * 60 * MINUTE_MS,
  /** A transcode that reports no progress for this long is stopped. */
  stallTimeoutMs: 2 * MINUTE_MS,
  /** Address space of a native process, or heap of a wasm one. */
  memoryMaxBytes: 2 * GIB_BYTES,
  /** The maximum size of one output file, and of all files of an attempt. */
  outputMaxBytes: 16 * GIB_BYTES,
  /** Allowed for every result, however small the source is: 30 s at the highest rate. */
  resultAlwaysBytes: 32 * 1024 ** 2,
  /** Above that, the maximum size of a result relative to its source. */
  resultRatioMax: 20,
  threads: 1,
  /** Lower priority than the API on the same machine, but not the lowest, at which jobs stall on a busy machine. */
  niceness: constants.priority.PRIORITY_BELOW_NORMAL,
};

export type MediaLimits = Readonly<typeof DEFAULT_MEDIA_LIMITS>;
