import { z } from "zod";
import { transaction, type Db } from "../database/client.ts";
import { purge } from "../database/purge.ts";
import { job, scheduled } from "../jobs/job.ts";
import { BACKGROUND, HOURLY } from "../jobs/queues.ts";
import { BATCH_MAX, markSeen, purgeNotifications } from "./store.ts";

type Env = { readonly db: Db };

/**
 * Selects seen notifications of a user, of one subject or all. A job of 1.0.0 has no server, and an `until` a minute later. It counts as one
 * of another server, for which a minute is subtracted.
 */
const marking = z.object({
  userId: z.uuid(),
  seen: z.object({ snapshot: z.string(), server: z.string().default(""), until: z.coerce.date() }),
  subjectId: z.string().optional(),
});
export type Marking = z.output<typeof marking>;

/** Marks the remaining notifications of a request, one batch per transaction. After a crash, the next attempt continues. */
const finishing = (name: string, archived: boolean) =>
  job({
    name,
    queue: BACKGROUND,
    payload: marking,
    async work({ db }: Env, selection, { signal }) {
      await purge(() => transaction(db, (tx) => markSeen(tx, { ...selection, archived })), { batch: BATCH_MAX, signal });
    },
  });

export const finishMarking = finishing("mark_as_read", false);
/** A separate job, because a worker of 1.0.0 would only mark the notifications. It fails unknown jobs, which are retried. */
export const finishArchiving = finishing("archive_seen", true);

export const notificationJobs = [
  finishMarking,
  finishArchiving,
  scheduled(HOURLY, "notifications", ({ db }: Env) => purgeNotifications(db)),
] as const;
