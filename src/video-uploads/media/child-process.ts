/** One child process under supervision. Whatever it was fed, it ends, and says why. */
import { spawn, type ChildProcess, type ChildProcessByStdio } from "node:child_process";
import { addAbortListener } from "node:events";
import { constants, setPriority } from "node:os";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { User } from "./file-access.ts";
import { MediaFailure } from "./media-failure.ts";

export type ChildOptions = {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The user that it runs as, in no other group; our own by default. */
  readonly user?: User | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs: number;
  /** With it, the child is killed when `onLine` has reported no advance for so long. */
  readonly stallTimeoutMs?: number | undefined;
  /** More standard output than this kills the child. */
  readonly outputMaxBytes: number;
  /** Takes each line of standard output and says whether it shows an advance. Without it, output is collected. */
  readonly onLine?: ((line: string) => boolean) | undefined;
};

type StopReason = "aborted" | "timeout" | "stalled" | "output_limit";

export type ChildEnd = {
  readonly exitCode: number | null;
  readonly exitSignal: NodeJS.Signals | null;
  /** Set when it was us who ended it. */
  readonly stoppedFor: StopReason | null;
  /** Empty when `onLine` was given. */
  readonly stdout: string;
  /** Its beginning and its end, a few kilobytes of each. */
  readonly stderr: string;
};

const STDERR_PART_MAX_CHARS = 8192;

/** Runs a command to its end. Rejects only when the command cannot be started; every other end is reported. */
export async function runChild(options: ChildOptions): Promise<ChildEnd> {
  const { signal, stallTimeoutMs, onLine } = options;
  if (signal?.aborted) return { exitCode: null, exitSignal: null, stoppedFor: "aborted", stdout: "", stderr: "" };
  const child = await start(options);
  lowerPriority(child.pid!);

  let stoppedFor: StopReason | null = null;
  const stop = (reason: StopReason): void => {
    stoppedFor ??= reason;
    killGroup(child);
  };
  // Also called when the signal was aborted while the child was being started.
  using _aborted = signal && addAbortListener(signal, () => stop("aborted"));
  using _deadline = setTimeout(() => stop("timeout"), options.timeoutMs);
  using stall = stallTimeoutMs === undefined ? undefined : setTimeout(() => stop("stalled"), stallTimeoutMs);

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
    const room = STDERR_PART_MAX_CHARS - stderrBegin.length;
    stderrBegin += text.slice(0, room);
    stderrEnd = (stderrEnd + text.slice(room)).slice(-STDERR_PART_MAX_CHARS);
  });

  // Awaited here, as the timers end with this function.
  return await new Promise<ChildEnd>((resolve) => {
    child.on("close", (exitCode, exitSignal) => {
      const stdout = Buffer.concat(collected).toString("utf8");
      resolve({ exitCode, exitSignal, stoppedFor, stdout, stderr: stderrBegin + stderrEnd });
    });
  });
}

/** Rejects when there is no child: that must not be an 'error' event without a listener. */
function start({ command, args, cwd, user }: ChildOptions): Promise<ChildProcessByStdio<null, Readable, Readable>> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      // It learns nothing of our environment.
      env: {},
      ...user,
      stdio: ["ignore", "pipe", "pipe"],
      // Its own process group, so that a kill reaches whatever it may have started.
      detached: true,
    });
    child.on("error", reject);
    // Where there is no file descriptor left there are no pipes either, and the event is still to come.
    if (child.pid !== undefined) resolve(child);
  });
}

/** SIGKILL, because a decoder busy with a hostile file may not get round to a polite signal. */
function killGroup(child: ChildProcess): void {
  // Once it has been reaped, its id may belong to another process.
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL"); // The group is gone already, or was never ours to make.
  }
}

/** Below the API on the same machine, but not idle: at the lowest, a busy machine would make every job stall. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already, or the platform refuses; neither is a reason not to work.
  }
}

/** The exit status of a child that never got to its work: a missing library, a host that could not start. */
const BROKEN_EXIT_CODES: readonly (number | null)[] = [70, 126, 127];

/** How the wasm host says what a native process says by dying of a signal. */
const WASM_CRASH_EXIT_CODE = 71;

/** Throws when a child's end is not for the caller to judge, as a normal exit of either outcome is. */
export function requireNormalExit(end: ChildEnd): void {
  const cause = { ...end, stdout: end.stdout.slice(0, 1000) };
  if (end.stoppedFor === "timeout" || end.stoppedFor === "stalled" || end.exitSignal === "SIGXCPU")
    throw new MediaFailure("processing_timeout", "The video took too long to process.", { cause });
  if (end.stoppedFor === "output_limit")
    throw new MediaFailure("unsupported_media", "The file declares more than the service can process.", { cause });
  if (/No space left on device|Disk quota exceeded/.test(end.stderr))
    throw new MediaFailure("internal_error", "There is not enough disk space to process the video.", {
      cause: { ...cause, code: "ENOSPC" },
      retryable: true,
    });
  if (end.exitSignal === "SIGXFSZ" || /File too large/.test(end.stderr))
    throw new MediaFailure("internal_error", "The result of processing is too large.", { cause });
  if (end.exitSignal === "SIGKILL" || BROKEN_EXIT_CODES.includes(end.exitCode)) {
    // The machine ran out of memory, or an operator stopped it.
    throw new MediaFailure("internal_error", "The processing of the video was interrupted.", { cause, retryable: true });
  }
  if (end.exitSignal !== null || end.exitCode === WASM_CRASH_EXIT_CODE)
    throw new MediaFailure("internal_error", "The video could not be processed.", { cause });
}
