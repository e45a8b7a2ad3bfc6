import type { Db } from "../../database/client.ts";
import { every } from "../../util/every.ts";
import { countCurrent, recordProgress, type Fence } from "../store.ts";

/** The progress of an attempt. The attempt updates it, and `watchAttempt` writes it to the row. */
export type Progress = { stage: string; percent: number };

const FENCE_CHECK_MS = 300;

/** Polls whether an attempt is still the current one, else aborts `lost`, and writes its progress, until the end of the scope. */
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
