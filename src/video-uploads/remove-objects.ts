import type { Logger } from "pino";
import type { ObjectStore } from "../storage/object-store.ts";

/**
 * Removes at once what nobody refers to any more. A store that fails is logged and nothing else: what the request was
 * about has happened, and the removal is tried again by a job that was made with it, or else by the sweeper.
 */
export async function removeNow(objects: ObjectStore, log: Logger, prefix: string): Promise<void> {
  await objects
    .deletePrefix(prefix)
    .catch((error: unknown) => log.warn({ err: error, prefix }, "objects could not be removed yet"));
}
