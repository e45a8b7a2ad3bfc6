import type { Input, Output, Schemas } from "../contract/contract.ts";
import { transaction, type Db } from "../database/client.ts";
import { BY_CREATION } from "../database/keyset.ts";
import type { Runner } from "../database/statement.ts";
import { weakEtagOf } from "../util/etag.ts";
import { found } from "../failure.ts";
import type { JobQueue } from "../jobs/jobs.ts";
import type { Cursors } from "../lists/cursor.ts";
import { list } from "../lists/list.ts";
import { finishMarking, type Marking } from "./jobs.ts";
import { sealSeen, type Seen } from "./seen.ts";
import {
  countUnread,
  findNotification,
  findNotifications,
  MARKED_AT_ONCE_MAX,
  markSeen,
  setRead,
  setUnread,
  type NotificationRow,
} from "./store.ts";
import { toNotification } from "./wire.ts";

/** The maximum of a count: 1000 means a thousand or more. */
const UNREAD_MAX = 1_000;

/** Reads one page, the number of unread notifications, and the token of the notifications that the list could show. */
export async function listNotifications(
  pool: Runner,
  cursors: Cursors,
  input: Input<"listNotifications">,
): Promise<Output<"listNotifications">> {
  const { userId } = input.principal;
  let page: Awaited<ReturnType<typeof findNotifications>>;
  const { status, body } = await list(cursors, input, {
    order: BY_CREATION,
    async find(window) {
      page = await findNotifications(pool, userId, input.query, window, UNREAD_MAX);
      return page.rows;
    },
    toWire: toNotification,
  });
  const newest = body.data.map((it) => new Date(it.updated_at)).sort((a, b) => Number(b) - Number(a))[0];
  const shown = { ...body, unread_count: page!.unread };
  return {
    status,
    headers: { ETag: weakEtagOf(shown) },
    body: { ...shown, seen: sealSeen(cursors, userId, page!.seen, newest) },
  };
}

export async function readNotification(runner: Runner, userId: string, id: string): Promise<NotificationRow> {
  return found(await findNotification(runner, userId, id), "notification");
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
export function markAsRead(db: Db, queue: JobQueue, marking: Marking): Promise<Schemas["UpdateNotificationsResult"]> {
  return transaction(db, async (tx) => {
    const updated = await markSeen(tx, marking.userId, marking.seen, marking.subjectId);
    if (updated === MARKED_AT_ONCE_MAX) await queue.enqueue(tx, finishMarking, marking);
    return { updated_count: updated, unread_count: await countUnread(tx, marking.userId, UNREAD_MAX) };
  });
}
