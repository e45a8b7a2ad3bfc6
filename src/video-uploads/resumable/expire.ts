import { transaction, type Db } from "../../database/client.ts";
import type { Queue } from "../../jobs/queue.ts";
import { removeExpired } from "./store.ts";

const ENDED_TOGETHER = 500;

/** Ends uploads that nobody has completed in time, each with a job that removes its bytes. Says how many. */
export async function purgePartials(db: Db, queue: Pick<Queue, "removeVideo">, ageSeconds: number): Promise<number> {
  for (let purged = 0; ;) {
    const ended = await transaction(db, async (tx) => {
      const ids = await removeExpired(tx, ageSeconds, ENDED_TOGETHER);
      for (const id of ids) await queue.removeVideo(tx, id);
      return ids.length;
    });
    purged += ended;
    if (ended < ENDED_TOGETHER) return purged;
  }
}
