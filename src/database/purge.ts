export const BATCH_SIZE = 1_000;

/** Runs a statement that removes at most `batch` rows until it removes fewer or `signal` aborts; returns how many it has removed. */
export async function purge(remove: (batch: number) => Promise<number>, signal?: AbortSignal): Promise<number> {
  for (let purged = 0; ;) {
    signal?.throwIfAborted();
    const removed = await remove(BATCH_SIZE);
    purged += removed;
    if (removed < BATCH_SIZE) return purged;
  }
}
