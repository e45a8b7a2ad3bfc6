/** Why a video could not be processed, in the words of the contract's open set of job error codes. */
type MediaFailureCode = "unsupported_media" | "corrupt_media" | "too_long" | "processing_timeout" | "internal_error";

/** `detail` is safe to show to the client: no path, no tool, no quotation from the file. The rest goes into `cause`. */
export class MediaFailure extends Error {
  readonly code: MediaFailureCode;
  readonly detail: string;
  /** True when the same bytes may succeed later: a full disk, a killed process. Never true for a fault in the file. */
  readonly retryable: boolean;

  constructor(
    code: MediaFailureCode,
    detail: string,
    { retryable = false, ...options }: ErrorOptions & { readonly retryable?: boolean } = {},
  ) {
    super(`${code}: ${detail}`, options);
    this.name = "MediaFailure";
    this.code = code;
    this.detail = detail;
    this.retryable = retryable;
  }
}

/** For what should not happen: a fault of ours. */
export const internalError = (cause: unknown, { retryable }: { readonly retryable: boolean }) =>
  new MediaFailure("internal_error", "The video could not be processed because of an internal error.", { cause, retryable });
