import { setTimeout as delay } from "node:timers/promises";

/**
 * Runs `work` now, and again `ms` after each end, until the signal is aborted. Resolves when the last run has ended. A failure only ends
 * its run, so `work` reports it itself.
 */
export async function every(ms: number, signal: AbortSignal, work: () => Promise<unknown>): Promise<void> {
  while (!signal.aborted) {
    await work().catch(() => undefined);
    await delay(ms, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
