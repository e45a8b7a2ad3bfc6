import type { Logger } from "pino";
import { tables } from "#generated/tables.ts";
import { transaction, type Db, type Tx } from "../database/client.ts";
import { purge } from "../database/purge.ts";
import { deleteRows } from "../database/references.ts";
import type { Tables } from "../database/table.ts";
import type { Dependents } from "../jobs/dependents.ts";
import type { Execution } from "../jobs/job.ts";
import type { JobQueue } from "../jobs/jobs.ts";
import { BACKGROUND } from "../jobs/queues.ts";
import { removeJobsOf } from "../jobs/store.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { revokeApiKeys } from "../auth/api-keys.ts";
import { userColumns } from "./references-store.ts";
import { findDeletedUser, insertDeletedUser, markUserDeleted, removeUserRow, type DeletedUser } from "./store.ts";

export type ErasureDeps = {
  readonly db: Db;
  readonly queue: JobQueue;
  readonly objects: ObjectStore;
  readonly log: Logger;
  readonly dependents: Dependents;
};

const TABLES: Tables<ErasureDeps> = tables;

/** Deletes a user at once. `enqueue` adds the job that erases the data. False if there is no such user. */
export function beginErasure(db: Db, userId: string, enqueue: (tx: Parameters<typeof markUserDeleted>[0]) => Promise<void>) {
  return transaction(db, async (tx) => {
    if (!(await markUserDeleted(tx, userId))) return false;
    await revokeApiKeys(tx, userId);
    await enqueue(tx);
    return true;
  });
}

/**
 * After this time, no request of a deleted user can begin. A credential is found in at most 12 s and cached for 5 s. The rate limit takes at
 * most 15 s.
 */
const REQUESTS_END_AFTER_SECONDS = 40;

/**
 * Erases a deleted user and their data, in batches. An interrupted erasure continues with the rest. Requests that began before the deletion
 * can still add rows, so it repeats until none is left. The job is requeued until no request can begin, and then removes the user's row.
 */
export async function eraseUser(deps: ErasureDeps, userId: string, { signal, putBack }: Pick<Execution, "signal" | "putBack">) {
  const { db } = deps;
  const user = await findDeletedUser(db, userId);
  if (user === null) return;
  await insertDeletedUser(db);
  for (let isRemoved = false; !isRemoved;) {
    await eraseRows(deps, user, signal);
    signal.throwIfAborted();
    const secondsLeft = Math.ceil(REQUESTS_END_AFTER_SECONDS - user.deletedForSeconds());
    if (secondsLeft > 0) return transaction(db, (tx) => putBack(tx, { uncounted: true, startAfter: secondsLeft }));
    isRemoved = await transaction(db, async (tx) => {
      if (!(await removeUserRow(tx, userId))) return false;
      // Including this job.
      await removeJobsOf(tx, { queue: BACKGROUND.name, userId });
      return true;
    });
  }
  deps.log.info({ audit: "user.deleted", user_id: userId }, "erased a user and all their data");
}

/** Erases a user from every table, as its area declares. Custom `erase` functions run first, so that the user can't write again. */
async function eraseRows(deps: ErasureDeps, user: DeletedUser, signal: AbortSignal): Promise<void> {
  const { db, dependents } = deps;
  for (const { erase } of Object.values(TABLES))
    if (erase !== undefined) await purge((batch) => erase(deps, user, signal, batch), { signal });
  for (const it of userColumns.filter(({ onErase }) => onErase === "removed")) {
    const after = dependents.has(it.table) ? (tx: Tx, id: string) => dependents.deleted(tx, it.table, id) : null;
    await purge((batch) => deleteRows(db, it, user.id, batch, after), { signal });
  }
}
