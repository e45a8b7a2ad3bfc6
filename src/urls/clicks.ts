import type { Logger } from "pino";
import { transaction, type Db } from "../database/client.ts";
import { every } from "../util/every.ts";
import type { Day } from "./days.ts";
import { createPendingClicks } from "./pending-clicks.ts";
import { addClicks, findOutcome, type Clicks } from "./store.ts";

export type ClickCounter = ReturnType<typeof createClickCounter>;

/** The clicks that a crash can lose. The contract allows "the last few seconds". */
const FLUSH_MS = 1_000;

/**
 * Counts clicks in memory, and writes those of each day (UTC) every second in one transaction. A failed write is retried with the
 * next one. If the answer to a COMMIT is lost, the database is asked whether the transaction was committed, so that no click
 * counts twice.
 */
export function createClickCounter(db: Db, log: Logger) {
  const pending = createPendingClicks((id) => log.warn({ id }, "a click was dropped"));
  /** A batch of which it is not known whether it was written. */
  let unanswered: { readonly batch: readonly Clicks[]; readonly transactionId: string } | null = null;

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
      else unanswered = { batch, transactionId };
      throw error;
    }
  }

  /** Returns whether the outcome is known. */
  async function settle({ batch, transactionId }: NonNullable<typeof unanswered>): Promise<boolean> {
    const outcome = await findOutcome(db, transactionId);
    if (outcome === "in progress") return false;
    unanswered = null;
    if (outcome === "aborted") batch.forEach(pending.add);
    return true;
  }

  async function flush(): Promise<void> {
    try {
      if (unanswered !== null && !(await settle(unanswered))) return;
      for (const day of pending.days()) await write(day);
    } catch (error) {
      log.warn({ err: error }, "clicks could not be written yet");
    }
  }

  const closing = new AbortController();
  const running = every(FLUSH_MS, closing.signal, flush);
  return {
    /** Counts one click in memory, so that the redirect does not wait for the database. */
    count: (id: string, lastAt = new Date()) => pending.add({ id, count: 1, lastAt }),
    /** Ends the flushes, and writes the pending clicks. */
    close: async () => {
      closing.abort();
      await running;
      await flush();
    },
  };
}
