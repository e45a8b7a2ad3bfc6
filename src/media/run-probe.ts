import { dirname } from "node:path";
import { requireNormalExit, type ChildEnd } from "./child-process.ts";
import type { Engine } from "./engine.ts";
import { firstPacketArgs } from "./copy-args.ts";
import { commonArgs, inputArgs, probeArgs, type InputFile } from "./ffmpeg-args.ts";

export type ProbeInput = InputFile & {
  readonly engine: Engine;
  readonly signal: AbortSignal | undefined;
  /** The space that a copy of the file must leave free. */
  readonly minFreeBytes: number;
};

const JSON_MAX_BYTES = 1024 * 1024;

/** Runs ffprobe on a video, in the folder of the file. `onLine` gets the lines, until it aborts the signal. A list has more bytes. */
export function runProbe(
  input: ProbeInput,
  args: string[],
  onLine?: (line: string) => boolean,
  outputMaxBytes = JSON_MAX_BYTES,
): Promise<ChildEnd> {
  const { engine, limits, path, signal } = input;
  const all = [...commonArgs(limits, "warning"), ...args, ...inputArgs(input, probeArgs())];
  const supervision = { cwd: dirname(path), signal, timeoutMs: limits.probeTimeoutMs, outputMaxBytes, onLine };
  return engine.run({ tool: "ffprobe", args: all, reads: [path], writes: [], limits }, supervision);
}

/** The type and the codec of a stream, and its first packet, if there is one, as `framecrc` lists them. */
export async function listFirstPacket(input: ProbeInput, index: number): Promise<string> {
  const { engine, limits, path, signal } = input;
  const end = await engine.run(
    { tool: "ffmpeg", args: firstPacketArgs(input, index), reads: [path], writes: [], limits },
    { cwd: dirname(path), signal, timeoutMs: limits.probeTimeoutMs, outputMaxBytes: JSON_MAX_BYTES },
  );
  signal?.throwIfAborted();
  requireNormalExit(end);
  return end.stdout;
}
