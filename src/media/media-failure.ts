/** Why a video could not be processed: job error codes of the contract, which may add more. */
type MediaFailureCode =
  | "unsupported_media"
  | "corrupt_media"
  | "too_long"
  | "processing_timeout"
  | "result_too_large"
  | "storage_quota_exceeded"
  | "insufficient_storage"
  | "internal_error";

/** `detail` is safe to show to the client: no path, no name of a tool, no text from the file. The rest goes into `cause`. */
export class MediaFailure extends Error {
  readonly code: MediaFailureCode;
  readonly detail: string;
  /** True if the same bytes may succeed later: a full disk, a killed process. Never true for a fault in the file. */
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

/** For an unexpected error: a fault of the service, not of the file. */
export const internalError = (cause: unknown, { retryable }: { readonly retryable: boolean }) =>
  new MediaFailure("internal_error", "The video could not be processed because of an internal error.", { cause, retryable });

export const overQuota = (cause: unknown) =>
  new MediaFailure("storage_quota_exceeded", "The result does not fit into your storage quota.", { cause });
