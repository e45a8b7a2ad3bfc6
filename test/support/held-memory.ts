/**
 * Loaded before the service by `--import`, for tests that ask a process of it over IPC what it holds: what is left of its
 * heap and of memory outside the heap after a garbage collection. Resident memory would also count what the allocator and
 * the collector keep for next time.
 */
import { setTimeout as delay } from "node:timers/promises";

const COLLECTIONS = 4;

process.on("message", (message) => {
  if (message !== "held bytes") return;
  void (async () => {
    for (let collection = 0; collection < COLLECTIONS; collection++) {
      (globalThis as unknown as { gc(): void }).gc();
      // Finalizers and weak references run between two collections.
      await delay(20);
    }
    const { heapUsed, external } = process.memoryUsage();
    process.send!(heapUsed + external);
  })();
});
// The service ends when it is told to, with its parent still there.
process.channel?.unref();
