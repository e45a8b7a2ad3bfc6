import { setTimeout as delay } from "node:timers/promises";

const POLL_MS = 10;

/** Polls `ask` until its answer is truthy, and returns it; returns the last answer when `timeoutMs` are over. */
export async function waitFor<T>(ask: () => T | Promise<T>, timeoutMs: number): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer || performance.now() > deadline) return answer;
    await delay(POLL_MS);
  }
}
