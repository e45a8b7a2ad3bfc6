import { unavailable } from "../failure.ts";

type Waiting<Item, Result> = PromiseWithResolvers<Result> & { readonly item: Item; readonly sinceMs: number };
type Options = {
  /** How many items one call takes. */
  readonly max: number;
  /** An item that has waited longer fails as unavailable (503), and `work` does not get it. */
  readonly waitMaxMs?: number;
  /** Whether the items of a batch that fails are tried again one by one, so that only those fail that can't succeed. */
  readonly retriesAlone?: boolean;
};

/**
 * Combines items into one call of `work` at a time for each key. Items that arrive during a call wait for the next one, oldest
 * first, and hold no connection. `work` returns one result for each item, in the same order. A semaphore would let the items
 * through one by one; here, those that wait share a call.
 */
export function createBatches<Item, Result>(
  work: (items: readonly Item[], key: string) => Promise<readonly Result[]>,
  { max, waitMaxMs = Infinity, retriesAlone = false }: Options,
): (item: Item, key?: string) => Promise<Result> {
  const queues = new Map<string, Waiting<Item, Result>[]>();

  async function run(batch: readonly Waiting<Item, Result>[], key: string): Promise<void> {
    const sinceMs = performance.now() - waitMaxMs;
    const due = batch.filter((it) => it.sinceMs >= sinceMs);
    for (const it of batch) if (it.sinceMs < sinceMs) it.reject(unavailable());
    if (due.length === 0) return;
    try {
      const results = await work(
        due.map((it) => it.item),
        key,
      );
      for (const [index, it] of due.entries()) it.resolve(results[index]!);
    } catch (error) {
      if (retriesAlone && due.length > 1) for (const it of due) await run([it], key);
      else for (const it of due) it.reject(error);
    }
  }

  async function drain(queue: Waiting<Item, Result>[], key: string): Promise<void> {
    while (queue.length > 0) await run(queue.splice(0, max), key);
    queues.delete(key);
  }

  return (item, key = "") => {
    const waiting = { item, sinceMs: performance.now(), ...Promise.withResolvers<Result>() };
    const queue = queues.get(key);
    if (queue !== undefined) queue.push(waiting);
    else {
      const started = [waiting];
      queues.set(key, started);
      void drain(started, key);
    }
    return waiting.promise;
  };
}
