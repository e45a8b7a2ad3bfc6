import { unavailable } from "../failure.ts";

type Waiting<Item, Result> = Pick<PromiseWithResolvers<Result>, "resolve" | "reject"> & {
  readonly item: Item;
  readonly sinceMs: number;
};
type Options = {
  /** How many items one call gets. */
  readonly max: number;
  /** An item that has waited longer fails as unavailable (503). */
  readonly waitMaxMs?: number;
  /** Whether the items of a failed batch are retried one by one, so that valid items succeed. */
  readonly retriesAlone?: boolean;
};

/**
 * Combines items into one call of `work` at a time for each key. Items that arrive during a call share the next one, and hold no connection.
 * `work` returns one result for each item, in the same order.
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
      due.forEach((it, index) => it.resolve(results[index]!));
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
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const waiting = { item, sinceMs: performance.now(), resolve, reject };
    const queue = queues.get(key);
    if (queue !== undefined) queue.push(waiting);
    else {
      const started = [waiting];
      queues.set(key, started);
      void drain(started, key);
    }
    return promise;
  };
}
