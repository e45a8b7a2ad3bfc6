/** Error codes of jobs in the contract. */
type MediaFailureCode =
  | "unsupported_media"
  | "corrupt_media"
  | "too_long"
  | "processing_timeout"
  | "result_too_large"
  | "storage_quota_exceeded"
  | "insufficient_storage"
  | "internal_error";

/** `detail` is shown to clients, so it has no path, tool name or text of the file. Other details are in `cause`. */
export class MediaFailure extends Error {
  readonly code: MediaFailureCode;
  readonly detail: string;
  /** True if a retry can succeed: a full disk, a killed process. Never true if the file is at fault. */
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
