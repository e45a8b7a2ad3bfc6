import type { Engine } from "../../media/engine.ts";
import { FRAMES_PER_SECOND_MAX } from "../../media/ffmpeg-args.ts";
import type { FrameSize } from "../../media/frame-size.ts";
import type { MediaInfo } from "../../media/probe.ts";
import { renditionsOf } from "../../media/transcode.ts";

// The processor time of native ffmpeg on one core of 2024, measured with test patterns.
const DECODE_NS_PER_PIXEL = 2;
const ENCODE_NS_PER_PIXEL = 12;
const FRAME_NS = 1_000_000;
const AUDIO_NS_PER_SECOND = 10_000_000;
/** The WebAssembly build takes about 6 times as long. */
const WASM_FACTOR = 6;

/** What was measured, because a file can declare anything. */
type Shape = Pick<MediaInfo, "durationMs" | "width" | "height" | "framesPerSecond">;

/** Estimates the processing time: each frame is decoded once, and at most 60 a second are encoded for each rendition. */
export function expectedSecondsOf(info: Shape, kind: Engine["kind"]): number {
  const pixelsOf = ({ width, height }: FrameSize) => width * height;
  const renditions = renditionsOf(info);
  const encodedPixels = renditions.reduce((sum, it) => sum + pixelsOf(it), 0);
  const decodingNs = info.framesPerSecond * (pixelsOf(info) * DECODE_NS_PER_PIXEL + FRAME_NS);
  const encodingNs = Math.min(info.framesPerSecond, FRAMES_PER_SECOND_MAX) * encodedPixels * ENCODE_NS_PER_PIXEL;
  const secondNs = decodingNs + encodingNs + renditions.length * AUDIO_NS_PER_SECOND;
  return (info.durationMs / 1_000) * (secondNs / 1e9) * (kind === "wasm" ? WASM_FACTOR : 1);
}
