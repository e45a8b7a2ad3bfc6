import { requireNormalExit } from "./child-process.ts";
import type { MediaLimits } from "./limits.ts";
import { MediaFailure } from "./media-failure.ts";
import { runProbe, type Look } from "./run-probe.ts";

/** A step between two times of a stream from which on ffmpeg takes it for another clock (its `dts_delta_threshold`). */
const CLOCK_JUMP_MIN_SECONDS = 10;

/**
 * Measures from where to where the packets of these streams reach, without decoding them. Throws `too_long` as soon as they pass
 * the limit. Recordings made by a browser declare no duration, and a declared duration may be longer than the packets.
 */
export async function measuredDurationMs(look: Look, streamIndexes: readonly number[]): Promise<number> {
  const longEnough = new AbortController();
  const signal = AbortSignal.any([longEnough.signal, ...(look.signal === undefined ? [] : [look.signal])]);
  let [startSeconds, endSeconds] = [Infinity, -Infinity];
  const shifts = new Map<number, number>();
  const streamEnds = new Map<number, { readonly pts: number; readonly seconds: number }>();
  const end = await runProbe(
    { ...look, signal },
    ["-show_entries", "packet=stream_index,pts_time,duration_time", "-of", "csv=p=0"],
    (line) => {
      const [stream = -1, pts = NaN, duration = NaN] = line.split(",").map(Number);
      if (!streamIndexes.includes(stream) || !Number.isFinite(pts)) return true;
      const before = streamEnds.get(stream);
      // A recorder that is interrupted goes on with another clock. As in ffmpeg, the next packet then follows at once.
      const isOtherClock = look.container === "ts" && Math.abs(pts - (before?.pts ?? pts)) > CLOCK_JUMP_MIN_SECONDS;
      shifts.set(stream, isOtherClock ? before!.seconds - pts : (shifts.get(stream) ?? 0));
      const seconds = pts + shifts.get(stream)!;
      const packetEnd = seconds + (Number.isFinite(duration) ? duration : 0);
      streamEnds.set(stream, { pts, seconds: packetEnd });
      startSeconds = Math.min(startSeconds, seconds);
      endSeconds = Math.max(endSeconds, packetEnd);
      if ((endSeconds - startSeconds) * 1000 > look.limits.durationMaxMs) longEnough.abort();
      return true;
    },
  );
  look.signal?.throwIfAborted();
  if (longEnough.signal.aborted) throw tooLong(look.limits);
  requireNormalExit(end);
  return Math.max(0, Math.round((endSeconds - startSeconds) * 1000));
}

export const tooLong = ({ durationMaxMs }: MediaLimits) =>
  new MediaFailure("too_long", `The video is longer than ${Math.floor(durationMaxMs / 1000)} seconds.`);
