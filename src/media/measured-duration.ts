import { requireNormalExit } from "./child-process.ts";
import type { MediaLimits } from "./limits.ts";
import { MediaFailure } from "./media-failure.ts";
import { runProbe, type ProbeInput } from "./run-probe.ts";

/** A larger step between two timestamps is a discontinuity for ffmpeg (`dts_delta_threshold`). */
const CLOCK_JUMP_MIN_SECONDS = 10;

/**
 * Measures the duration by the timestamps of packets, without decoding, because a declared duration can be missing or too long.
 * Throws `too_long`.
 */
export async function measuredDurationMs(input: ProbeInput, streamIndexes: readonly number[]): Promise<number> {
  const longEnough = new AbortController();
  const signal = AbortSignal.any([longEnough.signal, ...(input.signal === undefined ? [] : [input.signal])]);
  let [startSeconds, endSeconds] = [Infinity, -Infinity];
  const shifts = new Map<number, number>();
  const streamEnds = new Map<number, { readonly pts: number; readonly seconds: number }>();
  const end = await runProbe(
    { ...input, signal },
    ["-show_entries", "packet=stream_index,pts_time,duration_time", "-of", "csv=p=0"],
    (line) => {
      const [stream = -1, pts = NaN, duration = NaN] = line.split(",").map(Number);
      if (!streamIndexes.includes(stream) || !Number.isFinite(pts)) return true;
      const before = streamEnds.get(stream);
      // After an interruption, a recorder continues with another clock. As in ffmpeg, the next packet then follows at once.
      const isOtherClock = input.container === "ts" && Math.abs(pts - (before?.pts ?? pts)) > CLOCK_JUMP_MIN_SECONDS;
      shifts.set(stream, isOtherClock ? before!.seconds - pts : (shifts.get(stream) ?? 0));
      const seconds = pts + shifts.get(stream)!;
      const packetEnd = seconds + (Number.isFinite(duration) ? duration : 0);
      streamEnds.set(stream, { pts, seconds: packetEnd });
      startSeconds = Math.min(startSeconds, seconds);
      endSeconds = Math.max(endSeconds, packetEnd);
      if ((endSeconds - startSeconds) * 1000 > input.limits.durationMaxMs) longEnough.abort();
      return true;
    },
  );
  input.signal?.throwIfAborted();
  if (longEnough.signal.aborted) throw tooLong(input.limits);
  requireNormalExit(end);
  return Math.max(0, Math.round((endSeconds - startSeconds) * 1000));
}

export const tooLong = ({ durationMaxMs }: MediaLimits) =>
  new MediaFailure("too_long", `The video is longer than ${Math.floor(durationMaxMs / 1000)} seconds.`);
