/** Describes the streams of a file with ffprobe. */
import { mkdtemp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { requireNormalExit, type ChildEnd } from "./child-process.ts";
import { programSchema, streamSchema, type Stream } from "./choose-streams.ts";
import { colourTags } from "./colours.ts";
import { sampleArgs } from "./copy-args.ts";
import type { MediaLimits } from "./limits.ts";
import { MediaFailure } from "./media-failure.ts";
import { listFirstPacket, runProbe, type ProbeInput } from "./run-probe.ts";

const reportSchema = z.object({
  error: z.object({}).optional(),
  format: z.object({ nb_streams: z.number() }).optional(),
  programs: z.array(programSchema).default([]),
  streams: z.array(streamSchema).default([]),
});
export type Report = z.infer<typeof reportSchema>;

const SHOWN_ENTRIES = [
  "format=nb_streams",
  "program=program_id:program_stream=index",
  "stream=index,codec_type,codec_name,width,height,sample_aspect_ratio,pix_fmt,channels",
  `stream=${Object.keys(colourTags).join(",")}`,
  "stream_disposition",
  "stream_side_data=displaymatrix",
].join(":");

/** The streams and programmes of a file. Throws if it has none, or too many streams. */
export async function describe(input: ProbeInput): Promise<Report> {
  const report = (await describeAtOnce(input)) ?? { programs: [], streams: await describeEach(input) };
  const count = report.format?.nb_streams ?? report.streams.length;
  if (count === 0) throw unreadable(report);
  if (count > input.limits.streamsMax)
    throw new MediaFailure("unsupported_media", `The file has more than ${input.limits.streamsMax} streams.`);
  return report;
}

/** Null if ffprobe can't open the decoder of a stream, maybe one that is not needed. Then it describes none. */
async function describeAtOnce(input: ProbeInput): Promise<Report | null> {
  const end = await runProbe(input, ["-show_error", "-show_entries", SHOWN_ENTRIES, "-of", "json=compact=1"]);
  input.signal?.throwIfAborted();
  // Checked first: the line quotes text of the file, which could imitate errors that `requireNormalExit` recognises.
  if (end.stderr.includes("Skipped opening external track"))
    throw new MediaFailure("unsupported_media", "The file refers to another file for its video.");
  requireNormalExit(end);
  // The decoder refuses a too large frame before ffprobe reports its size.
  const [, width, height] = /Picture size (\d+)x(\d+) /.exec(end.stderr) ?? [];
  if (Number(width) * Number(height) > input.limits.framePixelsMax) throw tooManyPixels(input.limits);
  if (end.stderr.includes("Could not open codec for input stream")) return null;
  const report = reportOf(end);
  if (report.error !== undefined || report.format === undefined) throw unreadable(end);
  return report;
}

/** Describes each stream alone, by a copy of its beginning. */
async function describeEach(input: ProbeInput): Promise<Stream[]> {
  const folder = await mkdtemp(join(dirname(input.path), "streams-"));
  const path = join(folder, "stream");
  const { engine, limits, signal } = input;
  try {
    const streams: Stream[] = [];
    for (let index = 0; index <= limits.streamsMax; index += 1) {
      const end = await engine.run(
        { tool: "ffmpeg", args: sampleArgs(input, index, path), reads: [input.path], writes: [path], limits },
        { cwd: folder, signal, timeoutMs: limits.probeTimeoutMs, outputMaxBytes: 0 },
      );
      signal?.throwIfAborted();
      requireNormalExit(end);
      if (end.stderr.includes("matches no streams")) break;
      const report = end.exitCode === 0 ? await describeAtOnce({ ...input, path }).catch(ignoreRefusal) : null;
      const stream = report?.streams[0] ?? undecodableOf(await listFirstPacket(input, index));
      if (stream !== null) streams.push({ ...stream, index });
    }
    return streams;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A stream that would be refused is maybe not needed. */
function ignoreRefusal(error: unknown): null {
  if (error instanceof MediaFailure && /^(corrupt|unsupported)_media$/.test(error.code)) return null;
  throw error;
}

/** What `framecrc` says of a stream of which the decoder can't be opened. Null if it has no packet, so that nobody misses it. */
function undecodableOf(listed: string): Stream | null {
  const codec_type = /^#media_type 0: (\w+)/m.exec(listed)?.[1];
  const codec_name = /^#codec_id 0: (\w+)/m.exec(listed)?.[1];
  return /^0,/m.test(listed) ? { index: 0, codec_type, codec_name, channels: 1, isBroken: true } : null;
}

function reportOf(end: ChildEnd): Report {
  try {
    return reportSchema.parse(JSON.parse(end.stdout));
  } catch (error) {
    throw unreadable([end, error]);
  }
}

const unreadable = (cause: unknown) => new MediaFailure("corrupt_media", "The video cannot be read.", { cause });

export const tooManyPixels = ({ framePixelsMax }: MediaLimits) =>
  new MediaFailure("unsupported_media", `The picture has more than ${framePixelsMax} pixels.`);
