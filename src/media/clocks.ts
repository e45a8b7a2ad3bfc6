/**
 * The clocks of MPEG-TS. A recorder can begin again at another time, and a downloader joins segments that each begin at zero. ffmpeg
 * corrects each stream by itself, and takes a long gap of the sound for another clock, so that sound and picture drift apart.
 */
import { mkdtemp, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { boundOutput } from "./bounded-output.ts";
import { requireNormalExit } from "./child-process.ts";
import type { Stream } from "./choose-streams.ts";
import { rewriteArgs } from "./copy-args.ts";
import { MediaFailure } from "./media-failure.ts";
import { PACKET_LIST_MAX_BYTES } from "./measure.ts";
import { runProbe, type ProbeInput } from "./run-probe.ts";

/** A place in a stream where its time jumps, before the packet with this number. In seconds. */
export type Jump = {
  readonly packet: number;
  readonly jump: number;
  readonly endBefore: number;
  readonly startAfter: number;
};
/** From this packet on, its time and that of all later ones is this much later. */
export type Shift = { readonly packet: number; readonly seconds: number };

/** As in ffmpeg. */
const [BACK_MIN_SECONDS, FORWARD_MIN_SECONDS] = [0.1, 10];
/** Streams of one clock end and begin within this time. */
const SAME_JUMP_SECONDS = 2;
const JUMPS_MAX = 2_000;
/** Of MPEG-TS. */
const TICKS_PER_SECOND = 90_000;

/** The file with one clock: a copy of its used streams, unless their times never jump. Then null. */
export async function withOneClock(input: ProbeInput, picture: Stream, sound: Stream | null): Promise<string | null> {
  const [video, audio] = [picture.index, sound?.index ?? null];
  // ffmpeg can't copy a sound that it can't describe.
  if (sound !== null && !((sound.channels ?? 0) > 0)) return null;
  const [ofVideo, ofAudio] = [findJumps(), findJumps()];
  const args = ["-show_entries", "packet=stream_index,pts_time,dts_time,duration_time", "-of", "csv=p=0"];
  const end = await runProbe(
    input,
    args,
    (line) => {
      // ffprobe writes an empty line for some side data.
      const [stream, pts = NaN, dts = NaN, duration = NaN] = line === "" ? [] : line.split(",").map(Number);
      if (stream === video) ofVideo.add(pts, dts, duration);
      if (stream === audio) ofAudio.add(pts, dts, duration);
      return true;
    },
    PACKET_LIST_MAX_BYTES,
  );
  input.signal?.throwIfAborted();
  requireNormalExit(end);
  const count = ofVideo.jumps.length + ofAudio.jumps.length;
  if (count === 0) return null;
  if (count > JUMPS_MAX) throw new MediaFailure("unsupported_media", `The clock of the file jumps more than ${JUMPS_MAX} times.`);
  const shifts = shiftsOf(ofVideo.jumps, audio === null ? null : ofAudio.jumps);
  return rewrite(input, [
    { index: video, filter: filterOf(shifts.video) },
    ...(audio === null ? [] : [{ index: audio, filter: filterOf(shifts.audio) }]),
  ]);
}

function findJumps() {
  const jumps: { packet: number; jump: number; endBefore: number; startAfter: number }[] = [];
  let [packet, last, end] = [0, NaN, -Infinity];
  return {
    jumps: jumps as readonly Jump[],
    add(pts: number, dts: number, duration: number): void {
      const [shown, time] = [Number.isFinite(pts) ? pts : dts, Number.isFinite(dts) ? dts : pts];
      const jump = time - last;
      if (jump < -BACK_MIN_SECONDS || jump > FORWARD_MIN_SECONDS) {
        if (jumps.length <= JUMPS_MAX) jumps.push({ packet, jump, endBefore: end, startAfter: shown });
        end = -Infinity;
      }
      const current = jumps.at(-1);
      // Frames are not in the order in which they are shown.
      if (current !== undefined && Number.isFinite(shown)) current.startAfter = Math.min(current.startAfter, shown);
      if (Number.isFinite(shown)) end = Math.max(end, shown + (Number.isFinite(duration) ? duration : 0));
      if (Number.isFinite(time)) last = time;
      packet += 1;
    },
  };
}

/**
 * A jump of picture and sound by the same time is another clock, which continues after both have ended. Where only one jumps, it has
 * a gap, or, backwards, an own clock.
 */
export function shiftsOf(video: readonly Jump[], audio: readonly Jump[] | null): { video: Shift[]; audio: Shift[] } {
  const shifts = { video: [] as Shift[], audio: [] as Shift[] };
  const alone = (to: Shift[], { packet, endBefore, startAfter, jump }: Jump) => {
    if (jump < 0 || audio === null) to.push({ packet, seconds: endBefore - startAfter });
  };
  let next = 0;
  for (const ofVideo of video) {
    const same = (audio ?? []).findIndex((it, at) => at >= next && Math.abs(it.jump - ofVideo.jump) < SAME_JUMP_SECONDS);
    if (same === -1) {
      alone(shifts.video, ofVideo);
      continue;
    }
    for (const ofAudio of audio!.slice(next, same)) alone(shifts.audio, ofAudio);
    const ofAudio = audio![same]!;
    const seconds = Math.max(ofVideo.endBefore, ofAudio.endBefore) - Math.min(ofVideo.startAfter, ofAudio.startAfter);
    shifts.video.push({ packet: ofVideo.packet, seconds });
    shifts.audio.push({ packet: ofAudio.packet, seconds });
    next = same + 1;
  }
  for (const ofAudio of (audio ?? []).slice(next)) alone(shifts.audio, ofAudio);
  return shifts;
}

/** ffmpeg 5.1 reads fewer than 100 terms in a row, but as many groups of terms. */
const TERMS_IN_GROUP = 40;

/** The filter of packets that shifts their times. */
function filterOf(shifts: readonly Shift[]): string {
  const terms = shifts.map(({ packet, seconds }) => `gte(N,${packet})*(${Math.round(seconds * TICKS_PER_SECOND)})`);
  const groups: string[] = [];
  for (let from = 0; from < terms.length; from += TERMS_IN_GROUP)
    groups.push(`+(${terms.slice(from, from + TERMS_IN_GROUP).join("+")})`);
  const shifted = (time: string) => `'if(eq(${time},NOPTS),NOPTS,${time}${groups.join("")})'`;
  return `setts=pts=${shifted("PTS")}:dts=${shifted("DTS")}`;
}

/** The copy has fewer streams than the file, but smaller packets can take more space. */
const COPY_RATIO_MAX = 2;

async function rewrite(input: ProbeInput, streams: readonly { index: number; filter: string }[]): Promise<string> {
  const { engine, path, signal, minFreeBytes } = input;
  const folder = await mkdtemp(join(dirname(path), "clock-"));
  const made = join(folder, "original.ts");
  const sourceBytes = (await stat(path)).size;
  const outputMaxBytes = COPY_RATIO_MAX * sourceBytes;
  const limits = { ...input.limits, outputMaxBytes, resultAlwaysBytes: outputMaxBytes };
  const plan = { sourceBytes, plannedBytes: sourceBytes };
  const output = await boundOutput(folder, plan, limits, { minFreeBytes, quotaBytes: Infinity });
  const end = await engine.run(
    { tool: "ffmpeg", args: rewriteArgs(input, streams, made), reads: [path], writes: [made], limits },
    {
      ...{ cwd: folder, signal, timeoutMs: limits.transcodeTimeoutMs, outputMaxBytes: PACKET_LIST_MAX_BYTES },
      inspect: output.inspect,
    },
  );
  signal?.throwIfAborted();
  await output.check(end);
  requireNormalExit(end);
  if (end.exitCode === 0) return made;
  throw new MediaFailure("corrupt_media", "The clock of the file jumps, and its packets are damaged.", { cause: end });
}
