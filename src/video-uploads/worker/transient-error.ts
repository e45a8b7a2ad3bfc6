import { StorageFailure } from "../../storage/object-store.ts";
import { MediaFailure } from "../media/media-failure.ts";

/** What the system says when it has no room, no files or no processes left, or a disk is away. */
const PLACE_ERRORS = new Set(["ENOSPC", "EDQUOT", "EMFILE", "ENFILE", "EAGAIN", "ENOMEM", "EIO", "EROFS", "ESTALE", "ENODEV"]);

/** Whether an attempt came to nothing because of where it ran: any other job would have fared the same there and then. */
export function isFailureOfPlace(error: unknown): boolean {
  if (error instanceof StorageFailure) return error.kind === "store_full" || error.kind === "unavailable";
  if (error instanceof MediaFailure) return error.isOfPlace;
  const code = (error as { code?: unknown } | null)?.code;
  // A lock file that cannot be made or read: SQLite does not pass on what the system said.
  return typeof code === "string" && (PLACE_ERRORS.has(code) || code === "ERR_SQLITE_ERROR");
}
