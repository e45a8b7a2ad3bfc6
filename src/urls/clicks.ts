import type { Logger } from "pino";
import { transaction, type Db } from "../database/client.ts";
import { addClicks, findOutcome, type Clicks } from "./store.ts";

export type ClickCounter = ReturnType<typeof createClickCounter>;

/** The clicks that a crash can lose. The contract allows "the last few seconds". */
const FLUSH_MS = 1_000;
/** Limits the memory while the database is unavailable. Beyond it, clicks on further short URLs are dropped and logged. */
const PENDING_MAX = 100_000;

/**
 * Counts clicks in memory, and writes them every second in one transaction. A failed write is retried with the next one. If the
 * answer to a COMMIT is lost, the database is asked whether the transaction was committed, so that no click counts twice.
 */
export function createClickCounter(db: Db, log: Logger) {
  let pending = new Map<string, Clicks>();
  let running: Promise<void> = Promise.resolve();
  /** A batch of which it is not known whether it was written. */
  let unanswered: { readonly batch: readonly Clicks[]; readonly transactionId: string } | null = null;
  const add = ({ id, count, lastAt }: Clicks) => {
    const known = pending.get(id);
    if (known === undefined && pending.size >= PENDING_MAX) return log.warn({ id }, "a click was dropped");
    const isLater = known === undefined || known.lastAt < lastAt;
    pending.set(id, { id, count: count + (known?.count ?? 0), lastAt: isLater ? lastAt : known.lastAt });
  };

  async function write(): Promise<void> {
    // In the order of the ids, so that two processes cannot deadlock.
    const batch = [...pending.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    pending = new Map();
    let transactionId: string | null = null;
    try {
      await transaction(db, async (tx) => {
        transactionId = null;
        transactionId = await addClicks(tx, batch);
      });
    } catch (error) {
      if (transactionId === null) batch.forEach(add);
      else unanswered = { batch, transactionId };
      throw error;
    }
  }

  /** Returns whether the outcome is known. */
  async function settle({ batch, transactionId }: NonNullable<typeof unanswered>): Promise<boolean> {
    const outcome = await findOutcome(db, transactionId);
    if (outcome === "in progress") return false;
    unanswered = null;
    if (outcome === "aborted") batch.forEach(add);
    return true;
  }

  async function flush(): Promise<void> {
    try {
      if (unanswered !== null && !(await settle(unanswered))) return;
      if (pending.size > 0) await write();
    } catch (error) {
      log.warn({ err: error }, "clicks could not be written yet");
    }
  }

  const timer = setInterval(() => {
    running = running.then(flush);
  }, FLUSH_MS).unref();
  return {
    /** Counts one click in memory, so that the redirect does not wait for the database. */
    count: (id: string) => add({ id, count: 1, lastAt: new Date() }),
    /** Stops the timer, and writes the pending clicks. */
    close: async () => {
      clearInterval(timer);
      await running.then(flush);
    },
  };
}
