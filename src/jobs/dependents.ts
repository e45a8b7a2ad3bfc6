import { z } from "zod";
import { transaction, type Db, type Tx } from "../database/client.ts";
import { BATCH_SIZE, purge } from "../database/purge.ts";
import type { ErasedUser, Tables } from "../database/table.ts";
import { job } from "./job.ts";
import type { JobQueue } from "./jobs.ts";
import { BACKGROUND } from "./queues.ts";

/** The rows of areas about rows of other areas. Areas never import each other, so they declare them in their `tables.ts`. */
export type Dependents = ReturnType<typeof createDependents>;

const NEXT_RUN_SECONDS = 3_600;

/** Removes the remaining dependents of a deleted row. Without retries left, it starts again an hour later. */
export const finishDeletion = job({
  name: "finish_deletion",
  queue: BACKGROUND,
  payload: z.object({ table: z.string(), id: z.string() }),
  async work({ db, dependents }: { readonly db: Db; readonly dependents: Dependents }, { table, id }, execution) {
    try {
      await dependents.removeAll(db, table, id, execution.signal);
    } catch (error) {
      if (execution.attempt < execution.attemptsMax || execution.signal.aborted) throw error;
      await transaction(db, (tx) => execution.putBack(tx, { uncounted: true, startAfter: NEXT_RUN_SECONDS }));
    }
  },
});

/** Finds the declared functions for a deleted row, and for a row that stays when a user is erased. */
export function createDependents(tables: Tables<never>, queue: JobQueue) {
  const onDeleted = (table: string) => Object.values(tables).flatMap((it) => it.onDeleted?.[table] ?? []);
  const onErased = (table: string) => Object.values(tables).flatMap((it) => it.onErased?.[table] ?? []);
  return {
    has: (table: string): boolean => onDeleted(table).length > 0,
    /** Call it in the transaction that deletes a row. Removes one batch of dependents; a job removes the rest. */
    async deleted(tx: Tx, table: string, id: string): Promise<void> {
      let most = 0;
      for (const remove of onDeleted(table)) most = Math.max(most, await remove(tx, id, BATCH_SIZE));
      if (most >= BATCH_SIZE) await queue.enqueue(tx, finishDeletion, { table, id });
    },
    /** Removes all dependents of a row, in batches. */
    async removeAll(db: Db, table: string, id: string, signal: AbortSignal): Promise<void> {
      for (const remove of onDeleted(table)) await purge((batch) => remove(db, id, batch), { signal });
    },
    /** Erases a user from one batch of the dependents of a row. The last batch returns a number below `batch`. */
    async eraseFrom(tx: Tx, table: string, id: string, user: ErasedUser, batch: number): Promise<number> {
      let most = 0;
      for (const erase of onErased(table)) most = Math.max(most, await erase(tx, id, user, batch));
      return most;
    },
  };
}
