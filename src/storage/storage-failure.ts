import { Failure, unavailable } from "../failure.ts";
import { StorageFailure } from "./object-store.ts";

/** What an error of the object store means to a client; null for a defect and for an error of another layer. */
export function storageFailure(error: unknown): Failure | null {
  if (!(error instanceof StorageFailure)) return null;
  if (error.kind === "store_full")
    return new Failure("unavailable", "There is no room for videos at the moment. Try again later.", {
      retryAfterSeconds: 60,
      cause: error,
    });
  return error.kind === "unavailable" ? unavailable(error) : null;
}
