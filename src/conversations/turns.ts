import { unavailable } from "../failure.ts";

/** Does one piece of work after the other for each name; what waits, waits here, where it holds no connection. */
export type Turns = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/** Turns that end, for whoever has waited longer than `waitMaxMs`, with 503 before the work is begun. */
export function createTurns(waitMaxMs: number): Turns {
  const last = new Map<string, Promise<void>>();
  return async (name, work) => {
    const { promise: done, resolve: end } = Promise.withResolvers<void>();
    const before = last.get(name);
    last.set(name, done);
    const beganMs = performance.now();
    await before;
    try {
      if (performance.now() - beganMs > waitMaxMs) throw unavailable();
      return await work();
    } finally {
      if (last.get(name) === done) last.delete(name);
      end();
    }
  };
}
