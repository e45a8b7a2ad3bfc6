import { setTimeout as delay } from "node:timers/promises";
import type { Db } from "../../database/client.ts";
import { countCurrent, recordProgress, type Fence } from "../store.ts";

/** The progress of an attempt. The attempt updates it, and `watchAttempt` writes it to the row. */
export type Progress = { stage: string; percent: number };

const FENCE_CHECK_MS = 300;

/** Polls whether an attempt is still the current one, else aborts `lost`, and writes its progress, until the end of the scope. */
export function watchAttempt(db: Db, attempt: Fence, progress: Progress) {
  const [over, lost] = [new AbortController(), new AbortController()];
  void watch();
  return { lost: lost.signal, [Symbol.dispose]: () => over.abort() };

  async function watch(): Promise<void> {
    let recorded = shown(progress);
    for (;;) {
      await delay(FENCE_CHECK_MS, undefined, { signal: over.signal }).catch(() => undefined);
      if (over.signal.aborted) return;
      const now = shown(progress);
      const hasMoved = now.stage !== recorded.stage || now.percent !== recorded.percent;
      try {
        const found = hasMoved ? recordProgress(db, { ...attempt, ...now }) : countCurrent(db, attempt);
        if ((await found) === 0) return lost.abort();
        recorded = now;
      } catch {
        // The database does not respond. The next poll tries again.
      }
    }
  }
}

/** The progress that clients see, in whole percent. */
const shown = ({ stage, percent }: Progress): Readonly<Progress> => ({ stage, percent: Math.floor(percent) });
