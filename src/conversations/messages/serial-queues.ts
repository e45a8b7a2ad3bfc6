import { unavailable } from "../../failure.ts";

/**
 * Runs one call of `work` at a time for each key, in the order of the calls. A waiting call holds no connection. A call that
 * has waited longer than `waitMaxMs` fails as unavailable (503), and its `work` does not run.
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
