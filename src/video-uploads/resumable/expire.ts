import { transaction, type Db, type Tx } from "../../database/client.ts";
import { purge } from "../../database/purge.ts";
import type { JobQueue } from "../../jobs/jobs.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import { discardUpload } from "../jobs.ts";
import { removeExpired } from "./store.ts";

const BATCH_SIZE = 500;
/** The time limit of a whole upload. */
export const UPLOAD_AGE_SECONDS = 24 * 3600;

type Env = { readonly db: Db; readonly queue: JobQueue; readonly objects: ObjectStore };

/** Removes uploads that were not completed in time, and lets their bytes end. Returns their number. */
export function expireUploads(env: Env): Promise<number> {
  const removeSome = async (tx: Tx, limit: number) => {
    const removed = await removeExpired(tx, { ageSeconds: UPLOAD_AGE_SECONDS, limit });
    for (const { id, ...row } of removed) await discardUpload(tx, env, id, row);
    return removed.length;
  };
  return purge((limit) => transaction(env.db, (tx) => removeSome(tx, limit)), { batch: BATCH_SIZE });
}
