import { randomUUIDv7 } from "node:crypto";
import type { Tx } from "../db/client.ts";
import { byCreation, type Window } from "../pagination.ts";

/** How long notifications are kept, as the contract says. What is older does not exist, whether it was purged already or not. */
const KEPT_DAYS = 90;
const kept = () => ({ createdAt: { gt: new Date(Date.now() - KEPT_DAYS * 86_400_000) } });

export type NotificationRow = {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly body: string | null;
  readonly resourceType: string;
  readonly resourceId: string;
  readonly resourceHref: string;
  readonly createdAt: Date;
  readonly readAt: Date | null;
};
export type Filter = { readonly status: "unread" | "read" | undefined; readonly kind: string | undefined };

/** What a notification says, the same to everybody who gets it. */
export type NotificationText = Pick<NotificationRow, "kind" | "title" | "body" | "resourceType" | "resourceId" | "resourceHref">;

/**
 * Writes a notification for each of the users. Two transactions that tell the same user wait for each other, and the
 * second gets the later instant: what a user has not seen yet is always newer than all that can be seen.
 */
export async function insertNotifications(
  tx: Tx,
  userIds: readonly string[],
  { kind, title, body, resourceType, resourceId, resourceHref }: NotificationText,
): Promise<void> {
  const ids = userIds.map(() => randomUUIDv7());
  await tx.$queryRaw`SELECT 1 FROM users WHERE id = ANY(${userIds}::uuid[]) ORDER BY id FOR NO KEY UPDATE`;
  await tx.$executeRaw`
    INSERT INTO notifications (id, user_id, kind, title, body, resource_type, resource_id, resource_href, created_at)
    SELECT id, user_id, ${kind}, ${title}, ${body}, ${resourceType}, ${resourceId}, ${resourceHref},
      greatest(clock_timestamp(), (SELECT max(created_at) + interval '1 ms' FROM notifications WHERE user_id = one.user_id))
    FROM unnest(${ids}::uuid[], ${userIds}::uuid[]) AS one (id, user_id)`;
}

export function findNotification(tx: Tx, userId: string, id: string): Promise<NotificationRow | null> {
  return tx.notification.findFirst({ where: { id, userId, ...kept() } });
}

export function findNotifications(tx: Tx, userId: string, { status, kind }: Filter, window: Window): Promise<NotificationRow[]> {
  const { where, ...rest } = byCreation(window);
  const filter = {
    ...(kind === undefined ? {} : { kind }),
    ...(status === undefined ? {} : { readAt: status === "read" ? { not: null } : null }),
  };
  return tx.notification.findMany({ ...rest, where: { userId, ...filter, ...where, AND: kept() } });
}

/** How many are unread, counted no further than `max`. */
export function countUnread(tx: Tx, userId: string, max: number): Promise<number> {
  return tx.notification.count({ where: { userId, readAt: null, ...kept() }, take: max });
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
    WHERE user_id = ${userId}::uuid AND read_at IS NULL AND (created_at, id) <= (${upTo.createdAt}::timestamptz, ${upTo.id}::uuid)
      AND created_at > ${kept().createdAt.gt}::timestamptz`;
}

/** Removes those that are kept no longer, in batches, and says how many. */
export async function purgeNotifications(tx: Tx, batchSize = 1_000): Promise<number> {
  let purged = 0;
  for (let removed = batchSize; removed === batchSize; purged += removed) {
    removed = await tx.$executeRaw`
      DELETE FROM notifications WHERE id IN (
        SELECT id FROM notifications WHERE created_at <= ${kept().createdAt.gt}::timestamptz LIMIT ${batchSize})`;
  }
  return purged;
}
