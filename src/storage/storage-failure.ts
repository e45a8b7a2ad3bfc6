import { unavailableFailure } from "../database/database-failure.ts";
import { Failure } from "../failure.ts";
import { StorageFailure } from "./object-store.ts";

/** What an error of the object store means to a client: it is full, or it does not answer. Anything else is a defect, and null. */
export function storageFailure(error: unknown): Failure | null {
  if (!(error instanceof StorageFailure)) return null;
  if (error.kind === "store_full")
    return new Failure("unavailable", "There is no room for videos at the moment. Try again later.", {
      headers: { "Retry-After": "60" },
      cause: error,
    });
  return error.kind === "unavailable" ? unavailableFailure(error) : null;
}
