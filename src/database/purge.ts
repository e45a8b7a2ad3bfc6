const BATCH_SIZE = 1_000;

/** Runs a statement that removes at most `batch` rows until it removes fewer, and returns how many it has removed. */
export async function purge(remove: (batch: number) => Promise<number>, batch = BATCH_SIZE): Promise<number> {
  for (let purged = 0; ;) {
    const removed = await remove(batch);
    purged += removed;
    if (removed < batch) return purged;
  }
}
