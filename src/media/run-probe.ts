import { dirname } from "node:path";
import type { ChildEnd } from "./child-process.ts";
import type { Engine } from "./engine.ts";
import { commonArgs, inputArgs, probeArgs, type InputFile } from "./ffmpeg-args.ts";

export type ProbeInput = InputFile & { readonly engine: Engine; readonly signal: AbortSignal | undefined };

const JSON_MAX_BYTES = 1024 * 1024;
const PACKET_LIST_MAX_BYTES = 256 * 1024 * 1024;

/** Runs ffprobe on a video, in the folder of the file. `onLine` gets the lines of a long list, such as a list of packets. */
export function runProbe(input: ProbeInput, args: string[], onLine?: (line: string) => boolean): Promise<ChildEnd> {
  const { engine, limits, path, signal } = input;
  const outputMaxBytes = onLine === undefined ? JSON_MAX_BYTES : PACKET_LIST_MAX_BYTES;
  const all = [...commonArgs(limits, "warning"), ...args, ...inputArgs(input, probeArgs())];
  const supervision = { cwd: dirname(path), signal, timeoutMs: limits.probeTimeoutMs, outputMaxBytes, onLine };
  return engine.run({ tool: "ffprobe", args: all, reads: [path], writes: [], limits }, supervision);
}
