import type { Db } from "../../database/client.ts";
import { every } from "../../util/every.ts";
import { countCurrent, recordProgress, type Fence } from "../store.ts";

/** The progress of an attempt. The work updates it, and the watch writes it to the row. */
export type Progress = { stage: string; percent: number };

const FENCE_CHECK_MS = 300;

/**
 * Until the end of its scope, polls whether an attempt is still the current one, and writes its progress when it changes.
 * Aborts `lost` if the upload was deleted or another attempt has taken over.
 */
export function watchAttempt(db: Db, attempt: Fence, progress: Progress) {
  const [over, lost] = [new AbortController(), new AbortController()];
  let recorded = shown(progress);
  void every(FENCE_CHECK_MS, AbortSignal.any([over.signal, lost.signal]), async () => {
    const now = shown(progress);
    const hasMoved = now.stage !== recorded.stage || now.percent !== recorded.percent;
    const found = hasMoved ? recordProgress(db, { ...attempt, ...now }) : countCurrent(db, attempt);
    if ((await found) === 0) lost.abort();
    recorded = now;
  });
  return { lost: lost.signal, [Symbol.dispose]: () => over.abort() };
}

/** The progress that clients see, in whole percent. */
const shown = ({ stage, percent }: Progress): Readonly<Progress> => ({ stage, percent: Math.floor(percent) });
