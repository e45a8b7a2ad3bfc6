import { setTimeout as delay } from "node:timers/promises";

const POLL_MS = 10;

/** Polls `read` until its result is truthy or `timeoutMs` have passed. Returns the last result. */
export async function waitFor<T>(read: () => T | Promise<T>, timeoutMs: number): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const result = await read();
    if (result || performance.now() > deadline) return result;
    await delay(POLL_MS);
  }
}
