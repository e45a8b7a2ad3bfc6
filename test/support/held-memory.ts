/**
 * Loaded with `--import` before the service, for tests that ask over IPC how much memory a process uses: on its heap and
 * outside of it, after a garbage collection. Resident memory would also include what the allocator and the garbage
 * collector keep for later.
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
// The service must be able to end while its parent still runs.
process.channel?.unref();
