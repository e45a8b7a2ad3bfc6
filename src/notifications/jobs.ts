import { z } from "zod";
import { transaction, type Db } from "../database/client.ts";
import { purge } from "../database/purge.ts";
import { job, scheduled } from "../jobs/job.ts";
import { BACKGROUND, HOURLY } from "../jobs/queues.ts";
import { BATCH_MAX, markSeen, purgeNotifications } from "./store.ts";

type Env = { readonly db: Db };

/**
 * The notifications to mark as read: those that the user has seen, of one subject or of all. A job of 1.0.0 has no server, and
 * an `until` a minute later. It counts as one of another server, for which a minute is subtracted.
 */
const marking = z.object({
  userId: z.uuid(),
  seen: z.object({ snapshot: z.string(), server: z.string().default(""), until: z.coerce.date() }),
  subjectId: z.string().optional(),
});
export type Marking = z.output<typeof marking>;

/** Marks the notifications that a request left, one batch per transaction. After a crash, the next attempt marks the rest. */
export const finishMarking = job({
  name: "mark_as_read",
  queue: BACKGROUND,
  payload: marking,
  async work({ db }: Env, { userId, seen, subjectId }, { signal }) {
    await purge(() => transaction(db, (tx) => markSeen(tx, userId, seen, subjectId)), { batch: BATCH_MAX, signal });
  },
});

export const notificationJobs = [
  finishMarking,
  scheduled(HOURLY, "notifications", ({ db }: Env) => purgeNotifications(db)),
] as const;
