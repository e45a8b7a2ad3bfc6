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
  const statuses = new Set<number | null>();
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
      statuses.add(answer?.status ?? null);
      if (answer === null || answer.connection === "close") connection = open();
      if (pauseMs > 0) await delay(pauseMs);
    }
    connection.socket.destroy();
  });
  const slowestMs = () => Math.max(...durationsMs);
  return {
    /** How many reads there were, how many of them have waited, and how long the slowest took. */
    count: () => durationsMs.length,
    waited: () => durationsMs.filter((it) => it > WAITED_MS).length,
    slowestMs,
    /** Returns the statuses of all responses, null for a connection that ended without one. */
    async stop() {
      isStopped = true;
      await Promise.all(reading);
      return { statuses: [...statuses], slowestMs: slowestMs() };
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
  before: number,
  change: (reading: ReturnType<typeof startReading>) => Promise<void>,
): Promise<void> {
  await using reading = startReading(url, authorizations);
  await eventually("reads before the change", () => reading.count() > before, 120_000);
  const usualMs = reading.slowestMs();
  await change(reading);
  const { statuses, slowestMs } = await reading.stop();
  expect(statuses).toEqual([200]);
  // On a busy machine, some take long in any case.
  expect(slowestMs).toBeLessThan(READ_MAX_MS + usualMs);
}
