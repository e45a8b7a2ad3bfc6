import { dirname } from "node:path";
import { requireNormalExit } from "./child-process.ts";
import type { Stream } from "./choose-streams.ts";
import { measureArgs } from "./copy-args.ts";
import type { MediaLimits } from "./limits.ts";
import type { Measured, Sound } from "./measured.ts";
import { MediaFailure } from "./media-failure.ts";
import { listFirstPacket, runProbe, type ProbeInput } from "./run-probe.ts";

type Indexed = Pick<Stream, "index" | "channels">;

/** For a frame of which the duration is unknown. */
const FRAME_MS = 40;
export const PACKET_LIST_MAX_BYTES = 256 * 1024 * 1024;
/** Reading the packets of a file. */
const MEASURE_TIMEOUT_MS = 600_000;
const DISCARDED_FLAG = 4;

/** A sound that ffmpeg can't describe before it decodes it: late in a broadcast. */
const UNKNOWN_SOUND: Sound = { startMs: 0, gapMaxMs: Infinity };

type Packet = { readonly seconds: number; readonly durationSeconds: number };

/**
 * Measures the used streams by their packets, without decoding them, because what a file declares can be missing or wrong.
 * Throws `too_long`.
 */
export async function measure(input: ProbeInput, picture: Indexed, audioStream: Indexed | null): Promise<Measured> {
  const { engine, limits, path, signal } = input;
  // Without channels, ffmpeg can't copy the packets.
  const isUnknown = audioStream !== null && !((audioStream.channels ?? 0) > 0);
  const audioIndex = isUnknown ? null : (audioStream?.index ?? null);
  const longEnough = new AbortController();
  const [video, audio] = [countVideo(), countAudio()];
  let [beginSeconds, endSeconds] = [Infinity, 0];
  const readLine = createPacketReader((stream, packet) => {
    // What is before zero is needed for decoding, and not shown.
    beginSeconds = Math.min(beginSeconds, Math.max(0, packet.seconds));
    endSeconds = Math.max(endSeconds, packet.seconds + packet.durationSeconds);
    if (stream === 0) video.add(packet);
    else audio.add(packet);
    if (milliseconds(endSeconds - beginSeconds) > limits.durationMaxMs) longEnough.abort();
  });
  const end = await engine.run(
    { tool: "ffmpeg", args: measureArgs(input, picture.index, audioIndex), reads: [path], writes: [], limits },
    {
      cwd: dirname(path),
      signal: AbortSignal.any([longEnough.signal, ...(signal === undefined ? [] : [signal])]),
      timeoutMs: Math.max(limits.probeTimeoutMs, MEASURE_TIMEOUT_MS),
      outputMaxBytes: PACKET_LIST_MAX_BYTES,
      onLine: readLine,
    },
  );
  signal?.throwIfAborted();
  if (longEnough.signal.aborted) throw tooLong(limits);
  requireNormalExit(end);
  // The index has more than the file, of which the lengths were corrected.
  if (end.stderr.includes("partial file")) throw new MediaFailure("corrupt_media", "The file is truncated.", { cause: end });
  if (video.frames === 0) throw new MediaFailure("corrupt_media", "The video has no frame that can be shown.", { cause: end });
  return {
    durationMs: milliseconds(endSeconds - beginSeconds) || FRAME_MS,
    leadMs: milliseconds(beginSeconds),
    ...video.found(beginSeconds),
    sound: isUnknown ? UNKNOWN_SOUND : audio.found(beginSeconds),
  };
}

/** The first of these sounds that has packets, or null. For the best one, this usually reads only the beginning of the file. */
export async function firstWithPackets(input: ProbeInput, sounds: readonly Stream[]): Promise<Stream | null> {
  for (const sound of sounds) if (await hasPackets(input, sound)) return sound;
  return null;
}

async function hasPackets(input: ProbeInput, { index, channels = 0 }: Stream): Promise<boolean> {
  if (channels > 0) return /^0,/m.test(await listFirstPacket(input, index));
  // Without channels, ffmpeg can't copy the packets.
  const found = new AbortController();
  const signal = AbortSignal.any([found.signal, ...(input.signal === undefined ? [] : [input.signal])]);
  const args = ["-select_streams", `${index}`, "-show_entries", "packet=size", "-of", "csv=p=0"];
  const end = await runProbe({ ...input, signal }, args, () => {
    found.abort();
    return true;
  });
  input.signal?.throwIfAborted();
  if (!found.signal.aborted) requireNormalExit(end);
  return found.signal.aborted;
}

/** Reads the lines of the format `framecrc`: the time base of each stream, then its packets in the order of the file. */
function createPacketReader(onPacket: (stream: number, packet: Packet) => void): (line: string) => boolean {
  const tickSeconds: number[] = [];
  return (line) => {
    const [, index, over, under] = /^#tb (\d): (\d+)\/(\d+)/.exec(line) ?? [];
    if (index !== undefined) tickSeconds[Number(index)] = Number(over) / Number(under);
    if (line.startsWith("#")) return true;
    const [stream = 0, dts = NaN, pts = NaN, duration = 0] = line.split(",", 4).map(Number);
    const tick = tickSeconds[stream] ?? NaN;
    const seconds = (Number.isFinite(pts) ? pts : dts) * tick;
    const flags = Number(/ F=(0x[0-9a-f]+)/i.exec(line)?.[1] ?? 0);
    if (Number.isFinite(seconds) && (flags & DISCARDED_FLAG) === 0)
      onPacket(stream, { seconds, durationSeconds: Math.max(0, duration) * tick });
    return true;
  };
}

function countVideo() {
  const inSecond = new Map<number, number>();
  let [frames, framesInSecondMax, first, last] = [0, 0, Infinity, -Infinity];
  return {
    get frames() {
      return frames;
    },
    add({ seconds }: Packet): void {
      frames += 1;
      [first, last] = [Math.min(first, seconds), Math.max(last, seconds)];
      const second = Math.max(0, Math.floor(seconds));
      const count = (inSecond.get(second) ?? 0) + 1;
      inSecond.set(second, count);
      framesInSecondMax = Math.max(framesInSecondMax, count);
    },
    found: (beginSeconds: number) => ({
      framesInSecondMax,
      // A rate of a single frame is not known.
      framesPerSecond: last > first ? Math.round((1000 * (frames - 1)) / (last - first)) / 1000 : 1000 / FRAME_MS,
      lastFrameMs: milliseconds(last - beginSeconds),
    }),
  };
}

function countAudio() {
  let [first, last, gapMax] = [NaN, 0, 0];
  return {
    // A packet before a gap can have its duration.
    add({ seconds }: Packet): void {
      if (Number.isNaN(first)) [first, last] = [seconds, seconds];
      gapMax = Math.max(gapMax, seconds - last);
      last = Math.max(last, seconds);
    },
    found(beginSeconds: number): Sound | null {
      if (Number.isNaN(first)) return null;
      const startMs = milliseconds(first - beginSeconds);
      return { startMs, gapMaxMs: Math.max(startMs, milliseconds(gapMax)) };
    },
  };
}

const milliseconds = (seconds: number) => Math.max(0, Math.round(seconds * 1000));

export const tooLong = ({ durationMaxMs }: MediaLimits) =>
  new MediaFailure("too_long", `The video is longer than ${Math.floor(durationMaxMs / 1000)} seconds.`);
