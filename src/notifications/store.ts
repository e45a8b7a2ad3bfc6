import type { Tx } from "../db/client.ts";
import { byCreation, type Window } from "../pagination.ts";

export type NotificationRow = {
  readonly id: string; readonly kind: string; readonly title: string; readonly body: string | null; readonly resourceType: string;
  readonly resourceId: string; readonly resourceHref: string; readonly createdAt: Date; readonly readAt: Date | null;
};
export type Filter = { readonly status: "unread" | "read" | undefined; readonly kind: string | undefined };

export async function insertNotifications(tx: Tx, rows: readonly (Omit<NotificationRow, "createdAt" | "readAt"> & { readonly userId: string })[]): Promise<void> {
  await tx.notification.createMany({ data: [...rows] });
}

export function findNotification(tx: Tx, userId: string, id: string): Promise<NotificationRow | null> {
  return tx.notification.findFirst({ where: { id, userId } });
}

export function findNotifications(tx: Tx, userId: string, { status, kind }: Filter, window: Window): Promise<NotificationRow[]> {
  const { where, ...rest } = byCreation(window);
  const filter = { ...(kind === undefined ? {} : { kind }), ...(status === undefined ? {} : { readAt: status === "read" ? { not: null } : null }) };
  return tx.notification.findMany({ ...rest, where: { userId, ...filter, ...where } });
}

/** How many are unread, counted no further than `max`. */
export function countUnread(tx: Tx, userId: string, max: number): Promise<number> {
  return tx.notification.count({ where: { userId, readAt: null }, take: max });
}

/** Sets the status; one that is read already keeps its instant. */
export async function setStatus(tx: Tx, userId: string, id: string, status: "unread" | "read"): Promise<void> {
  await tx.$executeRaw`
    UPDATE notifications SET read_at = CASE WHEN ${status === "read"} THEN coalesce(read_at, greatest(now(), created_at)) END
    WHERE id = ${id}::uuid AND user_id = ${userId}::uuid`;
}

/** Marks that one and all older ones as read, and says how many were not. */
export function markReadUpTo(tx: Tx, userId: string, upTo: NotificationRow): Promise<number> {
  return tx.$executeRaw`
    UPDATE notifications SET read_at = greatest(now(), created_at)
    WHERE user_id = ${userId}::uuid AND read_at IS NULL AND (created_at, id) <= (${upTo.createdAt}::timestamptz, ${upTo.id}::uuid)`;
}

/** Removes those older than `days`, in batches, and says how many. */
export async function purgeNotifications(tx: Tx, days: number, batchSize = 1_000): Promise<number> {
  let purged = 0;
  for (let removed = batchSize; removed === batchSize; purged += removed) {
    removed = await tx.$executeRaw`
      DELETE FROM notifications WHERE id IN (
        SELECT id FROM notifications WHERE created_at < now() - make_interval(days => ${days}::int) LIMIT ${batchSize})`;
  }
  return purged;
}
