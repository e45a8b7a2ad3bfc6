/** The door of the API. */
import type { Logger } from "pino";
import type { Db } from "../database/client.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { tieStore } from "./sweep/store-owner.ts";

export { videoUploadHandlers } from "./handlers.ts";

/** Claims a new store for this database, and says at the start, not in an hour, when the store belongs to another. */
export async function logStoreOwner(db: Db, objects: ObjectStore, log: Logger): Promise<void> {
  try {
    const { problem, sentence } = await tieStore(db, objects);
    if (problem !== null) log.error({ store_problem: problem }, sentence);
  } catch (error) {
    // A store that is full or away just now: the sweep asks again before it does anything.
    log.warn({ err: error }, "it is not known yet whether the object store belongs to this database");
  }
}
