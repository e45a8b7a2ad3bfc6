import { setTimeout as delay } from "node:timers/promises";
import { expect } from "@jest/globals";
import { eventually } from "../../support/eventually.ts";
import { openPersistentConnection } from "../../support/keep-alive.ts";

const PAUSE_MS = 100;
/** How long the service caches a token. */
const LOOKED_UP_MS = 5_000;
const WAITED_MS = 500;
const LINES: readonly string[] = ["GET /account", "GET /posts?limit=5"];

/**
 * Sends reads with each of these tokens until it is stopped. The user of a token is read again every five seconds, so that
 * some reads need the table of users at any time.
 */
export function startReading(url: string, authorizations: readonly string[], lines = LINES, pauseMs = PAUSE_MS) {
  const durationsMs: number[] = [];
  let [longestGapMs, lastMs] = [0, performance.now()];
  const statuses: Record<string, number> = {};
  let isStopped = false;
  const reading = authorizations.map(async (authorization, index) => {
    // Not all at the same time, or all of them would be read again at the same time.
    await delay((index / authorizations.length) * LOOKED_UP_MS);
    const open = () => openPersistentConnection(url, `Authorization: ${authorization}\r\n`);
    let connection = open();
    for (let n = index; !isStopped; n++) {
      const startedMs = performance.now();
      const answer = await connection.ask(lines[n % lines.length]!);
      durationsMs.push(performance.now() - startedMs);
      const status = answer?.status ?? "lost";
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status === 200) {
        longestGapMs = Math.max(longestGapMs, performance.now() - lastMs);
        lastMs = performance.now();
      }
      if (answer === null || answer.connection === "close") connection = open();
      if (pauseMs > 0) await delay(pauseMs);
    }
    connection.socket.destroy();
  });
  const waited = () => durationsMs.filter((it) => it > WAITED_MS).length;
  const slowestMs = () => Math.max(...durationsMs);
  return {
    /** How many reads there were, how many of them have waited, and how long the slowest took. */
    count: () => durationsMs.length,
    waited,
    slowestMs,
    /** Prints what became of the reads. */
    async stop(when: string) {
      isStopped = true;
      await Promise.all(reading);
      process.stderr.write(
        `${durationsMs.length} reads ${when}: ${JSON.stringify(statuses)}; ${waited()} took longer than ${WAITED_MS} ms, the slowest ${Math.round(slowestMs())} ms; ` +
          `longest time without a read ${Math.round(longestGapMs)} ms\n`,
      );
      return { statuses, slowestMs: slowestMs(), longestGapMs };
    },
    /** Without it, a test that fails would never end. */
    async [Symbol.asyncDispose]() {
      isStopped = true;
      await Promise.all(reading);
    },
  };
}

const READ_MAX_MS = 2_000;

/** Sends reads before and during a change. Every one succeeds, and none waits for the change for two seconds. */
export async function expectSteadyReads(
  url: string,
  authorizations: readonly string[],
  { before, when }: { readonly before: number; readonly when: string },
  change: (reading: ReturnType<typeof startReading>) => Promise<void>,
): Promise<void> {
  await using reading = startReading(url, authorizations);
  await eventually("reads before the change", () => reading.count() > before, 120_000);
  const usualMs = reading.slowestMs();
  await change(reading);
  const { statuses, slowestMs } = await reading.stop(`${when} (before, the slowest took ${Math.round(usualMs)} ms)`);
  expect(Object.keys(statuses)).toEqual(["200"]);
  // On a busy machine, some take long in any case.
  expect(slowestMs).toBeLessThan(READ_MAX_MS + usualMs);
}
