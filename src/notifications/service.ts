import type { Input } from "../contract/contract.ts";
import { transaction, type Db } from "../database/client.ts";
import type { Runner } from "../database/statement.ts";
import { orNotFound } from "../failure.ts";
import type { JobQueue } from "../jobs/jobs.ts";
import { finishMarking, type Marking } from "./jobs.ts";
import type { Seen } from "./seen.ts";
import {
  countUnread,
  findNotification,
  MARKED_AT_ONCE_MAX,
  markSeen,
  setRead,
  setUnread,
  type NotificationRow,
} from "./store.ts";

/** The maximum of a count: 1000 means a thousand or more. */
export const UNREAD_MAX = 1_000;

export async function readNotification(runner: Runner, userId: string, id: string): Promise<NotificationRow> {
  return orNotFound(await findNotification(runner, userId, id), "notification");
}

export function changeStatus(db: Db, input: Input<"updateNotification">, seen?: Seen): Promise<NotificationRow> {
  const { userId } = input.principal;
  const { notification_id: id } = input.path;
  return transaction(db, async (tx) => {
    await (input.body.status === "read" ? setRead(tx, userId, id, seen) : setUnread(tx, userId, id));
    return readNotification(tx, userId, id);
  });
}

/** Marks the notifications that the user has seen as read: the first batch now, and the rest in a job. */
export function markAsRead(db: Db, queue: JobQueue, marking: Marking) {
  return transaction(db, async (tx) => {
    const updated = await markSeen(tx, marking.userId, marking.seen, marking.subjectId);
    if (updated === MARKED_AT_ONCE_MAX) await queue.enqueue(tx, finishMarking, marking);
    return { updated, unread: await countUnread(tx, marking.userId, UNREAD_MAX) };
  });
}
