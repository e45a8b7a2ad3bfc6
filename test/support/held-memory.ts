/**
 * Loaded with `--import` before the service. Tests then ask over IPC how much memory a process uses after a garbage collection,
 * on its heap and outside of it. Resident memory would also include what the allocator and the garbage collector keep for later.
 * They can also ask for the event-loop delay since they last asked.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";

const COLLECTIONS = 4;
const loopDelay = monitorEventLoopDelay({ resolution: 10 });

async function heldBytes(): Promise<number> {
  for (let collection = 0; collection < COLLECTIONS; collection++) {
    (globalThis as unknown as { gc(): void }).gc();
    // Finalizers and weak references run between two collections.
    await delay(20);
  }
  const { heapUsed, external } = process.memoryUsage();
  // The collections are not part of the delay.
  loopDelay.reset();
  return heapUsed + external;
}

/** The 99th percentile, in milliseconds. The first question starts the measurement. */
function loopDelayMs(): number {
  loopDelay.enable();
  const p99Ms = loopDelay.percentile(99) / 1e6;
  loopDelay.reset();
  return p99Ms;
}

process.on("message", (message) => {
  if (message === "held bytes") void heldBytes().then((bytes) => process.send!(bytes));
  if (message === "loop delay") process.send!(loopDelayMs());
});
// The service must be able to end while its parent still runs.
process.channel?.unref();
