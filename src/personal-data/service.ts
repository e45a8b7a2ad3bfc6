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
import { findDeletedUser, insertNobody, markUserDeleted, removeUserRow, type DeletedUser } from "./store.ts";

export type ErasureEnv = {
  readonly db: Db;
  readonly queue: JobQueue;
  readonly objects: ObjectStore;
  readonly log: Logger;
  readonly dependents: Dependents;
};

const TABLES: Tables<ErasureEnv> = tables;

/** Makes a user disappear at once. `enqueue` adds the job that removes the rest. False if there is no such user. */
export function beginErasure(db: Db, userId: string, enqueue: (tx: Parameters<typeof markUserDeleted>[0]) => Promise<void>) {
  return transaction(db, async (tx) => {
    if (!(await markUserDeleted(tx, userId))) return false;
    await revokeApiKeys(tx, userId);
    await enqueue(tx);
    return true;
  });
}

/**
 * After this time, no request of a deleted user begins or is counted any more: a credential is looked up in 12 s at most and cached
 * for 5 s, and counting waits 3 s for a connection and takes 12 s at most.
 */
const REQUESTS_END_AFTER_SECONDS = 40;

/**
 * Removes a deleted user and everything of theirs, in batches. An interrupted removal continues with what is left. Requests
 * that began before the deletion can still add something, so it begins again until nothing is left. The row of the user stays until
 * no request can begin any more, and until then the job waits in its queue.
 */
export async function eraseUser(env: ErasureEnv, userId: string, { signal, putBack }: Pick<Execution, "signal" | "putBack">) {
  const { db } = env;
  const user = await findDeletedUser(db, userId);
  if (user === null) return;
  await insertNobody(db);
  for (let isGone = false; !isGone;) {
    await eraseRows(env, user, signal);
    signal.throwIfAborted();
    const secondsLeft = Math.ceil(REQUESTS_END_AFTER_SECONDS - user.deletedForSeconds());
    if (secondsLeft > 0) return transaction(db, (tx) => putBack(tx, { uncounted: true, startAfter: secondsLeft }));
    isGone = await transaction(db, async (tx) => {
      if (!(await removeUserRow(tx, userId))) return false;
      // Including the job that does this.
      await removeJobsOf(tx, { queue: BACKGROUND.name, userId });
      return true;
    });
  }
  env.log.info({ audit: "user.deleted", user_id: userId }, "a user and everything of theirs was removed");
}

/** Erases a user from every table, as its area declares. The own ways of tables come first: who has left can't write any more. */
async function eraseRows(env: ErasureEnv, user: DeletedUser, signal: AbortSignal): Promise<void> {
  const { db, dependents } = env;
  for (const { erase } of Object.values(TABLES))
    if (erase !== undefined) await purge((batch) => erase(env, user, signal, batch), { signal });
  for (const it of userColumns.filter(({ onErase }) => onErase === "removed")) {
    const after = dependents.has(it.table) ? (tx: Tx, id: string) => dependents.deleted(tx, it.table, id) : null;
    await purge((batch) => deleteRows(db, it, user.id, batch, after), { signal });
  }
}
