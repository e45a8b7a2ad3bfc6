import { z } from "zod";
import { job, scheduled } from "../jobs/job.ts";
import { BACKGROUND, HOURLY } from "../jobs/queues.ts";
import { findOverdueUsers } from "./store.ts";
import { eraseUser, type ErasureDeps } from "./service.ts";

/** Erases a deleted user, in batches. */
export const removeUser = job({
  name: "remove_user",
  queue: BACKGROUND,
  payload: z.object({ userId: z.uuid() }),
  work: (deps: ErasureDeps, { userId }, execution) => eraseUser(deps, userId, execution),
});

export const personalDataJobs = [
  removeUser,
  // The job of these users has no retries left, so each gets a new job.
  scheduled(HOURLY, "deleted_users", async ({ db, queue }: ErasureDeps) => {
    const ids = await findOverdueUsers(db);
    for (const userId of ids) await queue.enqueue(db, removeUser, { userId });
    return ids.length;
  }),
] as const;
