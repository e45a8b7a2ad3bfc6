/**
 * Videos wait and run in lanes, by the work that they are expected to take. Each lane has places of its own in every worker, so a
 * short video never waits for a long one (size interval task assignment: Harchol-Balter, Crovella and Murta, 1999).
 */
import type { Engine } from "./media/engine.ts";
import type { MediaInfo } from "./media/probe.ts";
import { renditionsOf } from "./media/transcode.ts";

type Lane = {
  /** The most work that a video of this lane is expected to take. */
  readonly expectedMaxSeconds: number;
  /** The longer the videos, the lower the priority of their processes. At 19, one could stall on a busy machine. */
  readonly niceness: number;
};

/** From the short ones to the long ones. */
export const LANES: readonly [Lane, ...Lane[]] = [
  { expectedMaxSeconds: 60, niceness: 10 },
  { expectedMaxSeconds: 900, niceness: 13 },
  { expectedMaxSeconds: Infinity, niceness: 16 },
];

/** An attempt that runs for this many times the work of its lane goes on to the next lane, whatever its file declares. */
const OVERRUN_FACTOR = 3;
/** A larger file begins in the second lane, because already fetching it can take longer than a short video. */
const SHORT_MAX_BYTES = 256 * 1024 * 1024;

/** The lane of a file of which only the size is known. */
export const laneOfBytes = (sizeBytes: number): number => (sizeBytes > SHORT_MAX_BYTES ? 1 : 0);

export const laneOf = (expectedSeconds: number): number =>
  LANES.findIndex(({ expectedMaxSeconds }) => expectedSeconds <= expectedMaxSeconds);

/** How long an attempt can run in a lane. */
export const overrunMsOf = (lane: number): number => LANES[lane]!.expectedMaxSeconds * OVERRUN_FACTOR * 1_000;

// The processor time of native ffmpeg on one core of 2024, measured with test patterns: encoding costs most, and every frame some.
const DECODE_NS_PER_PIXEL = 2;
const ENCODE_NS_PER_PIXEL = 12;
const FRAME_NS = 1_000_000;
const AUDIO_NS_PER_SECOND = 10_000_000;
/** The WebAssembly build takes about this many times as long. */
const WASM_FACTOR = 6;
/** For a file that does not declare its frame rate. */
const DEFAULT_FRAMES_PER_SECOND = 30;

type Shape = Pick<MediaInfo, "durationMs" | "width" | "height" | "framesPerSecond">;

/** How long a video is expected to take: duration times pixels, decoded once and encoded for each rendition. */
export function expectedSecondsOf(info: Shape, kind: Engine["kind"]): number {
  const pixelsOf = ({ width, height }: { readonly width: number; readonly height: number }) => width * height;
  const renditions = renditionsOf(info);
  const encodedPixels = renditions.reduce((sum, it) => sum + pixelsOf(it), 0);
  const frameNs = pixelsOf(info) * DECODE_NS_PER_PIXEL + encodedPixels * ENCODE_NS_PER_PIXEL + FRAME_NS;
  const secondNs = (info.framesPerSecond ?? DEFAULT_FRAMES_PER_SECOND) * frameNs + renditions.length * AUDIO_NS_PER_SECOND;
  return (info.durationMs / 1_000) * (secondNs / 1e9) * (kind === "wasm" ? WASM_FACTOR : 1);
}
