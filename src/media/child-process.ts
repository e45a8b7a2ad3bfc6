/** Runs a child process under supervision. The child always ends, and the result has the reason. */
import { spawn, type ChildProcess, type ChildProcessByStdio } from "node:child_process";
import { addAbortListener, once } from "node:events";
import { setPriority } from "node:os";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { every } from "../util/every.ts";
import type { User } from "./file-access.ts";
import { DEFAULT_MEDIA_LIMITS } from "./limits.ts";
import { MediaFailure } from "./media-failure.ts";

export type ChildOptions = {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The user that the child runs as, without supplementary groups; by default, the user of the service. */
  readonly user?: User | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs: number;
  readonly niceness?: number | undefined;
  /** Kills the child if `onLine` reports no progress for this long. */
  readonly stallTimeoutMs?: number | undefined;
  /** Kills the child if it writes more to standard output. */
  readonly outputMaxBytes: number;
  /** Takes each line of standard output and returns whether it shows progress. Without it, the output is collected. */
  readonly onLine?: ((line: string) => boolean) | undefined;
  /** Polled while the child runs, to check its effects on the disk. */
  readonly inspect?: Inspect | undefined;
};

/** Returns a reason to kill the child, "advanced" if it makes progress without output, or null. */
export type Inspect = () => Promise<"disk_full" | "result_limit" | "advanced" | null>;

type StopReason = "aborted" | "timeout" | "stalled" | "output_limit" | "disk_full" | "result_limit";

export type ChildEnd = {
  readonly exitCode: number | null;
  readonly exitSignal: NodeJS.Signals | null;
  /** Set if the service ended the child. */
  readonly stoppedFor: StopReason | null;
  /** Empty with `onLine`. */
  readonly stdout: string;
  /** The beginning and the end of standard error, a few kilobytes each. */
  readonly stderr: string;
};

const STDERR_PART_MAX_CHARS = 8192;
/** At 80 MB/s, a child writes 8 MB between two polls. */
const INSPECT_EVERY_MS = 100;

/** Runs a command to its end. Rejects only if the command can't be started; the result reports all other failures. */
export async function runChild(options: ChildOptions): Promise<ChildEnd> {
  const { signal, stallTimeoutMs, onLine } = options;
  if (signal?.aborted) return { exitCode: null, exitSignal: null, stoppedFor: "aborted", stdout: "", stderr: "" };
  const child = await start(options);
  lowerPriority(child.pid!, options.niceness);

  let stoppedFor: StopReason | null = null;
  const stop = (reason: StopReason): void => {
    stoppedFor ??= reason;
    killGroup(child);
  };
  // Also stops the child if the signal was aborted while the child started.
  using _aborted = signal && addAbortListener(signal, () => stop("aborted"));
  using _deadline = setTimeout(() => stop("timeout"), options.timeoutMs);
  using stall = stallTimeoutMs === undefined ? undefined : setTimeout(() => stop("stalled"), stallTimeoutMs);
  using _inspections =
    options.inspect && pollInspection(options.inspect, (found) => (found === "advanced" ? stall?.refresh() : stop(found)));

  let stdoutBytes = 0;
  const collected: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => {
    stdoutBytes += chunk.length;
    if (stdoutBytes > options.outputMaxBytes) stop("output_limit");
    else if (onLine === undefined) collected.push(chunk);
  });
  if (onLine !== undefined) {
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (onLine(line)) stall?.refresh();
    });
  }
  let stderrBegin = "";
  let stderrEnd = "";
  child.stderr.on("data", (chunk: Buffer) => {
    const text = chunk.toString("latin1");
    const remaining = STDERR_PART_MAX_CHARS - stderrBegin.length;
    stderrBegin += text.slice(0, remaining);
    stderrEnd = (stderrEnd + text.slice(remaining)).slice(-STDERR_PART_MAX_CHARS);
  });

  // Awaited here, because the timers end with this function.
  return await new Promise<ChildEnd>((resolve) => {
    child.on("close", (exitCode, exitSignal) => {
      const stdout = Buffer.concat(collected).toString("utf8");
      resolve({ exitCode, exitSignal, stoppedFor, stdout, stderr: stderrBegin + stderrEnd });
    });
  });
}

/** Polls until the end of the scope. Ignores errors of `inspect`, because the child fails for the same reason. */
function pollInspection(inspect: Inspect, onFound: (found: NonNullable<Awaited<ReturnType<Inspect>>>) => void): Disposable {
  const ended = new AbortController();
  void every(INSPECT_EVERY_MS, ended.signal, async () => {
    const found = await inspect();
    if (found !== null && !ended.signal.aborted) onFound(found);
  });
  return { [Symbol.dispose]: () => ended.abort() };
}

/** Rejects if the child can't be started, for example because no file descriptor is left. Then it may have no pipes. */
async function start({ command, args, cwd, user }: ChildOptions): Promise<ChildProcessByStdio<null, Readable, Readable>> {
  const child = spawn(command, args, {
    cwd,
    // The child must not see the environment of the service, which has secrets.
    env: {},
    ...user,
    stdio: ["ignore", "pipe", "pipe"],
    // A separate process group, so that a kill also reaches the processes that the child has started.
    detached: true,
  });
  await once(child, "spawn");
  // A later 'error' without a listener would end the service.
  return child.on("error", () => undefined);
}

/** SIGKILL, because a decoder that is busy with a hostile file may never handle another signal. */
function killGroup(child: ChildProcess): void {
  // After the child is reaped, its pid may belong to another process.
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL"); // The group has ended already, or could not be created.
  }
}

function lowerPriority(pid: number, niceness: number = DEFAULT_MEDIA_LIMITS.niceness): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // The child has ended already, or the platform refuses. The work continues in both cases.
  }
}

/** The exit statuses of a child that could not start: a missing library, or a failure of the wasm host. */
const BROKEN_EXIT_CODES: readonly (number | null)[] = [70, 126, 127];

/** The exit status of the wasm host where a native process would end by a signal. */
const WASM_CRASH_EXIT_CODE = 71;

/** Throws unless the child exited normally, with any exit status. */
export function requireNormalExit(end: ChildEnd): void {
  const cause = { ...end, stdout: end.stdout.slice(0, 1000) };
  if (end.stoppedFor === "timeout" || end.stoppedFor === "stalled" || end.exitSignal === "SIGXCPU")
    throw new MediaFailure("processing_timeout", "The video took too long to process.", { cause });
  if (end.stoppedFor === "output_limit")
    throw new MediaFailure("unsupported_media", "The file declares more than the service can process.", { cause });
  if (end.exitSignal === "SIGKILL" || BROKEN_EXIT_CODES.includes(end.exitCode)) {
    // The machine ran out of memory, an operator stopped the child, or the child could not start.
    throw new MediaFailure("internal_error", "The processing of the video was interrupted.", { cause, retryable: true });
  }
  // Another attempt would crash at the same bytes.
  if (end.exitSignal !== null || end.exitCode === WASM_CRASH_EXIT_CODE)
    throw new MediaFailure("corrupt_media", "The video has data with which decoding crashes.", { cause });
}
