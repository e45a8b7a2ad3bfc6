/** The arguments of ffmpeg for what copies packets, and doesn't decode them. */
import { commonArgs, inputArgs, offsetArgs, ONE_CLOCK, splitArgs, type InputFile } from "./ffmpeg-args.ts";

/** Lists the packets of the used streams, with the times that they have when they are transcoded. A rendition can lack the sound. */
export function measureArgs(input: InputFile, video: number, audio: number | null): string[] {
  const sound = audio === null ? "" : ` -map 0:${audio}?`;
  return copyArgs(input, `-map 0:${video}${sound} -copyinkf -f framecrc pipe:1`);
}

/** Enough to describe a stream. Without it, packets that all have the same time would be copied to the end of the file. */
const SAMPLE_MAX_BYTES = 32 * 1024 * 1024;

/** Copies the beginning of one stream. */
export function sampleArgs(input: InputFile, index: number, path: string): string[] {
  const muxer = { mp4: "mp4", mov: "mov", webm: "matroska", mkv: "matroska", avi: "avi", ts: "mpegts" }[input.container];
  return [...copyArgs(input, `-map 0:${index} -t 5 -fs ${SAMPLE_MAX_BYTES} -f ${muxer} -y`), `file:${path}`];
}

/** Lists the first packet of one stream, after its type and codec. */
export const firstPacketArgs = (input: InputFile, index: number): string[] =>
  copyArgs(input, `-map 0:${index} -frames 1 -f framecrc pipe:1`);

/** Copies streams to one file with other times. */
export function rewriteArgs(
  input: InputFile,
  streams: readonly { readonly index: number; readonly filter: string }[],
  path: string,
): string[] {
  const maps = streams.flatMap(({ index, filter }, at) => ["-map", `0:${index}`, `-bsf:${at}`, filter]);
  return [
    "-copyts",
    ...copyArgs(input, "-copyinkf"),
    ...maps,
    ...splitArgs("-f mpegts -muxdelay 0 -muxpreload 0 -y"),
    `file:${path}`,
  ];
}

const copyArgs = (input: InputFile, output: string): string[] => [
  ...commonArgs(input.limits, "error"),
  ...splitArgs(`-nostdin -nostats ${ONE_CLOCK}`),
  ...offsetArgs(0),
  ...inputArgs(input),
  ...splitArgs(`-c copy -map_metadata -1 -map_chapters -1 ${output}`),
];
