import type { Logger } from "pino";
import { transaction, type Db } from "../database/client.ts";
import { every } from "../util/every.ts";
import type { Day } from "./days.ts";
import { createPendingClicks } from "./pending-clicks.ts";
import { addClicks, findOutcome, type Clicks } from "./store.ts";

export type ClickCounter = ReturnType<typeof createClickCounter>;

/** A crash can lose the clicks of this time. The contract allows "the last few seconds". */
const FLUSH_MS = 1_000;

/**
 * Counts clicks in memory, and writes the clicks of each day (UTC) every second. A failed write is retried with the next one. If the response
 * to a COMMIT is lost, the status of the transaction is read, so that no click counts twice.
 */
export function createClickCounter(db: Db, log: Logger) {
  const pending = createPendingClicks((id) => log.warn({ id }, "a click was dropped"));
  /** A batch with an unknown outcome of its COMMIT. */
  let uncertain: { readonly batch: readonly Clicks[]; readonly transactionId: string } | null = null;

  async function write(day: Day): Promise<void> {
    const batch = pending.take(day);
    let transactionId: string | null = null;
    try {
      await transaction(db, async (tx) => {
        transactionId = null;
        transactionId = await addClicks(tx, day, batch);
      });
    } catch (error) {
      if (transactionId === null) batch.forEach(pending.add);
      else uncertain = { batch, transactionId };
      throw error;
    }
  }

  /** Returns whether the outcome is known now. */
  async function settle({ batch, transactionId }: NonNullable<typeof uncertain>): Promise<boolean> {
    const outcome = await findOutcome(db, transactionId);
    if (outcome === "in progress") return false;
    uncertain = null;
    if (outcome === "aborted") batch.forEach(pending.add);
    return true;
  }

  async function flush(): Promise<void> {
    try {
      if (uncertain !== null && !(await settle(uncertain))) return;
      for (const day of pending.days()) await write(day);
    } catch (error) {
      log.warn({ err: error }, "clicks could not be written yet");
    }
  }

  const closing = new AbortController();
  const running = every(FLUSH_MS, closing.signal, flush);
  return {
    /** Counts a click in memory, so that the redirect does not wait for the database. */
    count: (id: string, lastAt = new Date()) => pending.add({ id, count: 1, lastAt }),
    /** Ends the flushes, and writes the pending clicks. */
    close: async () => {
      closing.abort();
      await running;
      await flush();
    },
  };
}
