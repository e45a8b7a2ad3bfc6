const MINUTE_MS = 60_000;
const GIB_BYTES = 1024 ** 3;

/**
 * What one video may cost: room for real videos on a small machine. Every number is a bound that a hostile file will
 * try to reach.
 */
export const DEFAULT_MEDIA_LIMITS = {
  durationMaxMs: 4 * 60 * MINUTE_MS,
  /** Width times height of a frame. */
  framePixelsMax: 8192 * 4320,
  /** Each side of the picture as it is shown; the contract can state no more. */
  frameSideMax: 65_535,
  streamsMax: 32,
  probeTimeoutMs: MINUTE_MS,
  transcodeTimeoutMs: 6 * 60 * MINUTE_MS,
  /** A transcode that reports no advance for so long is given up. */
  stallTimeoutMs: 2 * MINUTE_MS,
  /** Address space of a native process, or heap of a wasm one. */
  memoryMaxBytes: 2 * GIB_BYTES,
  /** The largest file one command may write. */
  outputMaxBytes: 16 * GIB_BYTES,
  threads: 1,
};

export type MediaLimits = Readonly<typeof DEFAULT_MEDIA_LIMITS>;
