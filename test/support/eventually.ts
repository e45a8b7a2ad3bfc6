import { setTimeout as delay } from "node:timers/promises";

type Truthy<T> = Exclude<T, false | null | undefined | 0 | "">;

/** Asks again and again until the answer is truthy, and returns it; throws when that takes too long, naming what never came. */
export async function eventually<T>(
  what: string,
  ask: () => T | Promise<T>,
  timeoutMs = 30_000,
  everyMs = 20,
): Promise<Truthy<T>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer) return answer as Truthy<T>;
    if (performance.now() > deadline) throw new Error(`Waited ${timeoutMs} ms in vain: ${what}.`);
    await delay(everyMs);
  }
}
