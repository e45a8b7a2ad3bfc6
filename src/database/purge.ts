export const BATCH_SIZE = 1_000;

/** How much to remove at once, and what ends it between two batches. */
type Options = { readonly batch?: number; readonly signal?: AbortSignal };

/** Runs a statement that removes at most `batch` rows until it removes fewer, and returns how many it has removed. */
export async function purge(remove: (batch: number) => Promise<number>, { batch = BATCH_SIZE, signal }: Options = {}) {
  for (let purged = 0; ;) {
    signal?.throwIfAborted();
    const removed = await remove(batch);
    purged += removed;
    if (removed < batch) return purged;
  }
}
