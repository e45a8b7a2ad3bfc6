/**
 * How stored objects are deleted: a row of `kept_objects` records owner and expiry. After it, the objects are deleted before the
 * row.
 */
import type { Logger } from "pino";
import type { Db, Tx } from "../../database/client.ts";
import { StorageFailure, type ObjectStore } from "../../storage/object-store.ts";
import { deleteRetained, findExpired, insertRetained, type InsertRetainedParameters } from "./retained-store.ts";
import { inBatches } from "./batches.ts";

type Env = { readonly db: Db; readonly objects: ObjectStore; readonly log: Logger };

/** An unfinished put without a change for this long is removed. */
export const UNFINISHED_AGE_MS = 24 * 3_600_000;

/** The most rows per run of the job, so that it doesn't delay other jobs. The next run follows after a minute. */
const ROWS_PER_RUN = 5_000;
const CONCURRENT_DELETES = 20;
const NOT_YET = "objects of a deleted upload could not be removed yet";

/** An object, or a folder of objects, that no upload needs any more. `sizeBytes` counts for the owner until the expiry. */
type Unneeded = Omit<InsertRetainedParameters, "keepSeconds">;

/** Sets the expiry of objects: now, or after `retainDeletedMs` of the store. For the transaction that makes them unneeded. */
export const expire = (tx: Tx, { retainDeletedMs }: ObjectStore, unneeded: Unneeded): Promise<number> =>
  insertRetained(tx, { ...unneeded, keepSeconds: retainDeletedMs / 1_000 });

/** Deletes objects after the commit of `expire`, if they are not retained. If that fails, the job tries again. */
export async function purgeExpired(env: Env, key: string): Promise<void> {
  if (env.objects.retainDeletedMs > 0) return;
  await remove(env, key).catch((error: unknown) => env.log.warn({ err: error, key }, NOT_YET));
}

/**
 * Deletes all expired objects, and returns the number of rows. An object that can't be deleted counts for its owner until it can.
 */
export async function purgeAllExpired(env: Env): Promise<number> {
  let removed = 0;
  for await (const rows of inBatches(await findExpired(env.db, { limit: ROWS_PER_RUN }), CONCURRENT_DELETES)) {
    const outcomes = await Promise.allSettled(rows.map(({ key }) => remove(env, key)));
    const failures = outcomes.flatMap((it) => (it.status === "rejected" ? [it.reason as unknown] : []));
    removed += rows.length - failures.length;
    for (const err of failures) env.log.warn({ err }, NOT_YET);
    if (failures.some((it) => it instanceof StorageFailure && it.kind === "unavailable")) break;
  }
  return removed;
}

async function remove({ db, objects }: Env, key: string): Promise<void> {
  await objects.deletePrefix(key);
  await deleteRetained(db, key);
}
