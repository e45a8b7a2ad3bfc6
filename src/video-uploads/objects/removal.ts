/**
 * The way of objects out of the store. The transaction that removes what needs them writes a row of `kept_objects`, which says
 * whose they are and until when they stay. Then they are removed, and the row last, so that an interrupted removal is repeated.
 */
import type { Logger } from "pino";
import type { Db, Tx } from "../../database/client.ts";
import { StorageFailure, type ObjectStore } from "../../storage/object-store.ts";
import { findEnded, forgetKept, insertKept, type InsertKeptParameters } from "./kept-store.ts";
import { inBatches } from "./batches.ts";

type Env = { readonly db: Db; readonly objects: ObjectStore; readonly log: Logger };

/** When an unfinished put is removed that has not changed since. */
export const UNFINISHED_AGE_MS = 24 * 3_600_000;

/** How many are removed in one run of the job, so that it doesn't delay others. The next run follows after a minute. */
const REMOVED_IN_A_RUN = 5_000;
const REMOVED_TOGETHER = 20;
const NOT_YET = "objects of a deleted upload could not be removed yet";

/** An object, or a folder of objects, that nothing needs any more: whose it is, and the bytes that count for the owner until it ends. */
type Kept = Omit<InsertKeptParameters, "keepSeconds">;

/** Lets objects end, in the transaction that removes what needs them: at once, or after `retainDeletedMs` of the store. */
export const letEnd = (tx: Tx, { retainDeletedMs }: ObjectStore, kept: Kept): Promise<number> =>
  insertKept(tx, { ...kept, keepSeconds: retainDeletedMs / 1_000 });

/** Removes objects whose end was committed, unless they are kept. If that fails, the job tries again. */
export async function removeEnded(env: Env, key: string): Promise<void> {
  if (env.objects.retainDeletedMs > 0) return;
  await remove(env, key).catch((error: unknown) => env.log.warn({ err: error, key }, NOT_YET));
}

/**
 * Removes the objects whose time has ended, and returns the number of rows. No check of the store for orphans holds it up,
 * because a row says that they were deleted. What can't be removed counts for its owner until it can.
 */
export async function removeAllEnded(env: Env): Promise<number> {
  let removed = 0;
  for await (const rows of inBatches(await findEnded(env.db, { limit: REMOVED_IN_A_RUN }), REMOVED_TOGETHER)) {
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
  await forgetKept(db, key);
}
