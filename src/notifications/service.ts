import type { Input } from "../contract/contract.ts";
import { transaction, type Db } from "../database/client.ts";
import type { Runner } from "../database/statement.ts";
import { orNotFound } from "../failure.ts";
import type { JobQueue } from "../jobs/jobs.ts";
import { finishMarking, type Marking } from "./jobs.ts";
import type { Seen } from "./seen.ts";
import * as store from "./store.ts";
import type { NotificationRow } from "./store.ts";

export async function readNotification(runner: Runner, userId: string, id: string): Promise<NotificationRow> {
  return orNotFound(await store.findNotification(runner, { userId, id }), "notification");
}

export function changeStatus(db: Db, input: Input<"updateNotification">, seen?: Seen): Promise<NotificationRow> {
  const { userId } = input.principal;
  const { notification_id: id } = input.path;
  return transaction(db, async (tx) => {
    if (input.body.status === "unread") await store.setUnread(tx, { userId, id });
    else if (seen === undefined) await store.setRead(tx, { userId, id });
    else await store.setReadIfSeen(tx, userId, id, seen);
    return readNotification(tx, userId, id);
  });
}

/** Marks the notifications that the user has seen as read: the first batch now, and the rest in a job. */
export function markAsRead(db: Db, queue: JobQueue, marking: Marking) {
  return transaction(db, async (tx) => {
    const updated = await store.markSeen(tx, marking.userId, marking.seen, marking.subjectId);
    if (updated === store.BATCH_MAX) await queue.enqueue(tx, finishMarking, marking);
    return { updated, ...(await store.countUnread(tx, { userId: marking.userId, unreadMax: store.UNREAD_MAX })) };
  });
}
