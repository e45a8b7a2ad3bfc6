import { unavailable } from "../../failure.ts";

/**
 * Runs the work of each key one at a time, in the order of the calls. What waits holds no connection; what has waited longer
 * than `waitMaxMs` fails with 503 and is not started.
 */
export function createSerialQueues(waitMaxMs: number) {
  const last = new Map<string, Promise<void>>();
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const { promise: done, resolve: end } = Promise.withResolvers<void>();
    const before = last.get(key);
    last.set(key, done);
    const startedMs = performance.now();
    await before;
    try {
      if (performance.now() - startedMs > waitMaxMs) throw unavailable();
      return await work();
    } finally {
      if (last.get(key) === done) last.delete(key);
      end();
    }
  };
}
