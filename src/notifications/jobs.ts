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
const finishing = (name: string, archived: boolean) =>
  job({
    name,
    queue: BACKGROUND,
    payload: marking,
    async work({ db }: Env, seenOnes, { signal }) {
      await purge(() => transaction(db, (tx) => markSeen(tx, { ...seenOnes, archived })), { batch: BATCH_MAX, signal });
    },
  });

export const finishMarking = finishing("mark_as_read", false);
/** A job of its own, because a worker of 1.0.0 would only mark the notifications. It fails a job that it doesn't know, which is retried. */
export const finishArchiving = finishing("archive_seen", true);

export const notificationJobs = [
  finishMarking,
  finishArchiving,
  scheduled(HOURLY, "notifications", ({ db }: Env) => purgeNotifications(db)),
] as const;
