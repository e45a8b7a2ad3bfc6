import { transaction, type Db } from "../../database/client.ts";
import type { JobQueue } from "../../jobs/jobs.ts";
import { discardUpload } from "../jobs.ts";
import { removeExpired } from "./store.ts";

const BATCH_SIZE = 500;
/** The time limit of a whole upload. */
export const UPLOAD_AGE_SECONDS = 24 * 3600;

/** Removes uploads that were not completed in time, each with a job that removes its bytes. Returns their number. */
export async function expireUploads({ db, queue }: { readonly db: Db; readonly queue: JobQueue }): Promise<number> {
  for (let expired = 0; ;) {
    const ids = await transaction(db, async (tx) => {
      const removed = await removeExpired(tx, UPLOAD_AGE_SECONDS, BATCH_SIZE);
      for (const id of removed) await discardUpload(tx, queue, id);
      return removed;
    });
    expired += ids.length;
    if (ids.length < BATCH_SIZE) return expired;
  }
}
