import type { Input } from "../contract/contract.ts";
import { transaction, type Db } from "../database/client.ts";
import type { Runner } from "../database/statement.ts";
import { Failure, orNotFound } from "../failure.ts";
import type { JobQueue } from "../jobs/jobs.ts";
import { finishArchiving, finishMarking, type Marking } from "./jobs.ts";
import type { Seen } from "./seen.ts";
import * as store from "./store.ts";
import type { NotificationRow } from "./store.ts";

export async function readNotification(runner: Runner, userId: string, id: string): Promise<NotificationRow> {
  return orNotFound(await store.findNotification(runner, { userId, id }), "notification");
}

/** Throws if a notification does not match the precondition of the request. */
type RequireUnchanged = (row: NotificationRow) => void;

/** Marks or archives a notification. Locks it first only for a precondition. */
export function changeStatus(
  db: Db,
  input: Input<"updateNotification">,
  seen: Seen | undefined,
  requireUnchanged: RequireUnchanged | undefined,
): Promise<NotificationRow> {
  const { userId } = input.principal;
  const { notification_id: id } = input.path;
  const { status, archived } = input.body;
  if (status === "unread" && archived === true) throw unreadInArchive();
  return transaction(db, async (tx) => {
    requireUnchanged?.(orNotFound(await store.lockNotification(tx, { userId, id }), "notification"));
    if (status === "unread") await store.setUnread(tx, { userId, id });
    else if (archived === true)
      await (seen ? store.setArchivedIfSeen(tx, userId, id, seen) : store.setArchived(tx, { userId, id }));
    else await (seen ? store.setReadIfSeen(tx, userId, id, seen) : store.setRead(tx, { userId, id }));
    if (archived === false) await store.takeOutOfArchive(tx, { userId, id });
    return readNotification(tx, userId, id);
  });
}

function unreadInArchive(): Failure {
  const code = "conflicting_parameters";
  const error = (name: string, detail: string) => ({ in: "body", pointer: `/${name}`, code, detail }) as const;
  const errors = [
    error("status", "status cannot be unread if archived is true."),
    error("archived", "archived cannot be true if status is unread."),
  ];
  return new Failure(code, "An unread notification can't be archived. Send the status read with archived true.", { errors });
}

/** Marks seen notifications as read, and can archive them. A job marks all but the first batch. */
export function markAsRead(db: Db, queue: JobQueue, marking: Marking, archived: boolean) {
  return transaction(db, async (tx) => {
    const updated = await store.markSeen(tx, { ...marking, archived });
    if (updated === store.BATCH_MAX) await queue.enqueue(tx, archived ? finishArchiving : finishMarking, marking);
    return { updated, ...(await store.countUnread(tx, { userId: marking.userId, unreadMax: store.UNREAD_MAX })) };
  });
}
