export const BATCH_SIZE = 1_000;

/** The size of a batch, and a signal that is checked between batches. */
type Options = { readonly batch?: number; readonly signal?: AbortSignal };

/** Repeats a statement that removes at most `batch` rows until it removes fewer. Returns the number of removed rows. */
export async function purge(remove: (batch: number) => Promise<number>, { batch = BATCH_SIZE, signal }: Options = {}) {
  for (let purged = 0; ;) {
    signal?.throwIfAborted();
    const removed = await remove(batch);
    purged += removed;
    if (removed < batch) return purged;
  }
}
