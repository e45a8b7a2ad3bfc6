import type { Engine } from "../../media/engine.ts";
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
/** For a file without a declared frame rate. */
const DEFAULT_FRAMES_PER_SECOND = 30;

type Shape = Pick<MediaInfo, "durationMs" | "width" | "height" | "framesPerSecond">;

/** Estimates the processing time: duration times pixels, decoded once and encoded for each rendition. */
export function expectedSecondsOf(info: Shape, kind: Engine["kind"]): number {
  const pixelsOf = ({ width, height }: FrameSize) => width * height;
  const renditions = renditionsOf(info);
  const encodedPixels = renditions.reduce((sum, it) => sum + pixelsOf(it), 0);
  const frameNs = pixelsOf(info) * DECODE_NS_PER_PIXEL + encodedPixels * ENCODE_NS_PER_PIXEL + FRAME_NS;
  const secondNs = (info.framesPerSecond ?? DEFAULT_FRAMES_PER_SECOND) * frameNs + renditions.length * AUDIO_NS_PER_SECOND;
  return (info.durationMs / 1_000) * (secondNs / 1e9) * (kind === "wasm" ? WASM_FACTOR : 1);
}
