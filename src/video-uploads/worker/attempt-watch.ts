import { setTimeout as delay } from "node:timers/promises";
import type { Db } from "../../database/client.ts";
import { isPresentAttempt, noteProgress, type Fence } from "../store.ts";

/** How far an attempt is. The work changes it, and the watch writes it to the row. */
export type Progress = { stage: string; percent: number };

/** How soon a job notices that its upload was deleted or that another attempt has taken over. */
const FENCE_CHECK_MS = 300;

/**
 * Polls whether an attempt is still the present one, and writes its progress when that has changed, until the end of its
 * scope. `lost` is aborted when the upload was deleted or another attempt has taken over.
 */
export function watchAttempt(db: Db, attempt: Fence, progress: Progress) {
  const [over, lost] = [new AbortController(), new AbortController()];
  void watch();
  return { lost: lost.signal, [Symbol.dispose]: () => over.abort() };

  async function watch(): Promise<void> {
    let noted = shown(progress);
    for (;;) {
      await delay(FENCE_CHECK_MS, undefined, { signal: over.signal }).catch(() => undefined);
      if (over.signal.aborted) return;
      const now = shown(progress);
      const hasMoved = now.stage !== noted.stage || now.percent !== noted.percent;
      try {
        if (!(await (hasMoved ? noteProgress(db, attempt, now.stage, now.percent) : isPresentAttempt(db, attempt))))
          return lost.abort();
        noted = now;
      } catch {
        // The database does not answer; the next poll asks again.
      }
    }
  }
}

/** As a client sees it. */
const shown = ({ stage, percent }: Progress): Readonly<Progress> => ({ stage, percent: Math.floor(percent) });
