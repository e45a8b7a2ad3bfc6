import { appendFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** Longer waits are reported at the end of a run. */
const LONG_MS = 1_000;

/** Reports a wait that has ended, if it was long. */
export function reportWait(what: string, startedMs: number): void {
  const waitedMs = performance.now() - startedMs;
  const file = process.env["WAITS_FILE"];
  if (file !== undefined && waitedMs > LONG_MS) appendFileSync(file, `${Math.round(waitedMs)} ms: ${what}\n`);
}

type Truthy<T> = Exclude<T, false | null | undefined | 0 | "">;

/** Calls `ask` until it returns a truthy value, and returns that value. Throws an error with `what` after the timeout. */
export async function eventually<T>(
  what: string,
  ask: () => T | Promise<T>,
  timeoutMs = 90_000,
  everyMs = 20,
): Promise<Truthy<T>> {
  const startedMs = performance.now();
  for (;;) {
    const answer = await ask();
    if (answer) {
      reportWait(what, startedMs);
      return answer as Truthy<T>;
    }
    if (performance.now() - startedMs > timeoutMs) throw new Error(`Waited ${timeoutMs} ms without success for: ${what}.`);
    await delay(everyMs);
  }
}

/**
 * Calls `use` with a near expiry until it returns before that expiry. On a busy machine, the first use of something can take
 * longer than the time until a near expiry.
 */
export async function usedBeforeExpiry<T>(use: (expiresAt: Date) => Promise<T>): Promise<T> {
  for (let ms = 1_500; ; ms *= 2) {
    const expiresAt = new Date(Date.now() + ms);
    const result = await use(expiresAt);
    if (Date.now() < expiresAt.getTime()) return result;
  }
}
