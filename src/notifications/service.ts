import type { Schemas } from "../contract/contract.ts";
import { transaction, type Db } from "../database/client.ts";
import { notFound } from "../failure.ts";
import type { JobQueue } from "../jobs/jobs.ts";
import type { Notify } from "../notifier.ts";
import { finishMarking, type Marking } from "./jobs.ts";
import type { NotificationRow } from "./rows.ts";
import type { Seen } from "./seen.ts";
import { countUnread, findNotification, insertNotifications, MARKED_AT_ONCE_MAX, markSeen, setRead, setUnread } from "./store.ts";

/** Counting stops here: "1000" means a thousand or more. */
export const UNREAD_MAX = 1_000;

/** Tells users of an event, in its transaction. */
export const notify: Notify = async (tx, userIds, { kind, title, body, subjectId, resource }) => {
  if (userIds.length === 0) return;
  await insertNotifications(tx, userIds, {
    subjectId,
    kind,
    title,
    body,
    resourceType: resource.type,
    resourceId: resource.id,
    resourceHref: resource.href,
  });
};

export function changeStatus(
  db: Db,
  userId: string,
  id: string,
  status: Schemas["NotificationStatus"],
  seen: Seen | undefined,
): Promise<NotificationRow> {
  return transaction(db, async (tx) => {
    await (status === "read" ? setRead(tx, userId, id, seen) : setUnread(tx, userId, id));
    const row = await findNotification(tx, userId, id);
    if (row === null) throw notFound("notification");
    return row;
  });
}

/** Marks what was seen: a batch at once, and whatever is more by a job. */
export function markAsRead(db: Db, queue: JobQueue, marking: Marking): Promise<Schemas["UpdateNotificationsResult"]> {
  return transaction(db, async (tx) => {
    const updated = await markSeen(tx, marking.userId, marking.seen, marking.subjectId);
    if (updated === MARKED_AT_ONCE_MAX) await queue.enqueue(tx, finishMarking, marking);
    return { updated_count: updated, unread_count: await countUnread(tx, marking.userId, UNREAD_MAX) };
  });
}
