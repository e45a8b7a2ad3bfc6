import type { ChildEnd } from "./child-process.ts";

/** Why a video could not be processed, in the words of the contract's open set of job error codes. */
export type MediaFailureCode = "unsupported_media" | "corrupt_media" | "too_long" | "processing_timeout" | "internal_error";

/** `detail` is safe to show to the client: no path, no tool, no quotation from the file. The rest goes into `cause`. */
export class MediaFailure extends Error {
  readonly code: MediaFailureCode;
  readonly detail: string;
  /** True when the same bytes may succeed later: a full disk, a killed process. Never true for a fault in the file. */
  readonly retryable: boolean;
  /** True when any other video would have failed the same way here and now: a full disk, no process to be had. */
  readonly isOfPlace: boolean;

  constructor(
    code: MediaFailureCode,
    detail: string,
    options: ErrorOptions & { readonly retryable?: boolean; readonly isOfPlace?: boolean } = {},
  ) {
    super(`${code}: ${detail}`, options);
    this.name = "MediaFailure";
    this.code = code;
    this.detail = detail;
    this.isOfPlace = options.isOfPlace ?? false;
    this.retryable = options.retryable ?? this.isOfPlace;
  }
}

/** The exit status of a child that never got to its work: a missing library, a host that could not start. */
const BROKEN_EXIT_CODES: readonly (number | null)[] = [70, 126, 127];

/** How the wasm host says what a native process says by dying of a signal. */
const WASM_CRASH_EXIT_CODE = 71;

/** What a child's end says when it is not for the caller to judge: null for a normal exit of either outcome. */
export function failureOfEnd(end: ChildEnd): MediaFailure | null {
  const cause = { ...end, stdout: end.stdout.slice(0, 1000) };
  if (end.stoppedFor === "timeout" || end.stoppedFor === "stalled" || end.exitSignal === "SIGXCPU")
    return new MediaFailure("processing_timeout", "The video took too long to process.", { cause });
  if (end.stoppedFor === "output_limit")
    return new MediaFailure("unsupported_media", "The file declares more than the service can process.", { cause });
  if (/No space left on device|Disk quota exceeded/.test(end.stderr))
    return new MediaFailure("internal_error", "There is not enough disk space to process the video.", { cause, isOfPlace: true });
  if (end.exitSignal === "SIGXFSZ" || /File too large/.test(end.stderr))
    return new MediaFailure("internal_error", "The result of processing is too large.", { cause });
  if (end.exitSignal === "SIGKILL" || BROKEN_EXIT_CODES.includes(end.exitCode)) {
    // The machine ran out of memory, or an operator stopped it.
    return new MediaFailure("internal_error", "The processing of the video was interrupted.", { cause, retryable: true });
  }
  if (end.exitSignal !== null || end.exitCode === WASM_CRASH_EXIT_CODE)
    return new MediaFailure("internal_error", "The video could not be processed.", { cause });
  return null;
}
