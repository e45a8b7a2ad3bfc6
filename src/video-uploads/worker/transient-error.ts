import { StorageFailure } from "../../storage/object-store.ts";
import { MediaFailure } from "../media/media-failure.ts";

/** No space, files or processes left, or a disk that is away. */
const SYSTEM_ERRORS = new Set(["ENOSPC", "EDQUOT", "EMFILE", "ENFILE", "EAGAIN", "ENOMEM", "EIO", "EROFS", "ESTALE", "ENODEV"]);

/** Whether an attempt failed because of the machine or the store: any other video would have failed there and then. */
export function isTransientError(error: unknown): boolean {
  if (error instanceof StorageFailure) return error.kind === "store_full" || error.kind === "unavailable";
  if (error instanceof MediaFailure) return error.isOfPlace;
  const code = (error as { code?: unknown } | null)?.code;
  // A lock file that cannot be made or read: SQLite does not pass on what the system said.
  return typeof code === "string" && (SYSTEM_ERRORS.has(code) || code === "ERR_SQLITE_ERROR");
}
