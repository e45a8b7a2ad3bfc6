import { Prisma } from "#generated/prisma/client.ts";
import type { Tx } from "../db/client.ts";
import type { Window } from "../pagination.ts";
import { COLUMNS, keptSince, type NotificationRow } from "./rows.ts";
import { wasSeen, type Seen } from "./seen.ts";

export type Status = "unread" | "read";
export type Filter = { readonly status: Status | undefined; readonly kind: string | undefined };

export async function findNotification(tx: Tx, userId: string, id: string): Promise<NotificationRow | null> {
  const [row] = await tx.$queryRaw<NotificationRow[]>`
    SELECT ${COLUMNS} FROM notifications
    WHERE id = ${id}::uuid AND user_id = ${userId}::uuid AND created_at > ${keptSince()}::timestamptz`;
  return row ?? null;
}

/** The rows of a window, in order. Each status has indices of its own, which are entered at the position; a list of both is merged. */
export function findNotifications(
  tx: Tx,
  userId: string,
  { status, kind }: Filter,
  { ascending, position, take }: Window,
): Promise<NotificationRow[]> {
  const [beyond, direction] = [Prisma.raw(ascending ? ">" : "<"), Prisma.raw(ascending ? "ASC" : "DESC")];
  const ofStatus = (readAt: "IS NULL" | "IS NOT NULL") => Prisma.sql`(
    SELECT ${COLUMNS} FROM notifications
    WHERE user_id = ${userId}::uuid AND read_at ${Prisma.raw(readAt)} AND created_at > ${keptSince()}::timestamptz
    ${kind === undefined ? Prisma.empty : Prisma.sql`AND kind = ${kind}`}
    ${position === undefined ? Prisma.empty : Prisma.sql`AND (created_at, id) ${beyond} (${position.at}::timestamptz, ${position.id}::uuid)`}
    ORDER BY created_at ${direction}, id ${direction} LIMIT ${take})`;
  const statuses = [
    ...(status === "read" ? [] : [ofStatus("IS NULL")]),
    ...(status === "unread" ? [] : [ofStatus("IS NOT NULL")]),
  ];
  return tx.$queryRaw<NotificationRow[]>`
    SELECT * FROM (${Prisma.join(statuses, " UNION ALL ")}) AS listed
    ORDER BY "createdAt" ${direction}, id ${direction} LIMIT ${take}`;
}

/** How many are unread, counted no further than `max`. */
export async function countUnread(tx: Tx, userId: string, max: number): Promise<number> {
  const [counted] = await tx.$queryRaw<{ unread: number }[]>`
    SELECT count(*)::int AS unread FROM (
      SELECT FROM notifications WHERE user_id = ${userId}::uuid AND read_at IS NULL AND created_at > ${keptSince()}::timestamptz
      ORDER BY created_at DESC LIMIT ${max}) AS counted`;
  return counted!.unread;
}

/** Marks one as unread. */
export async function setUnread(tx: Tx, userId: string, id: string): Promise<void> {
  await tx.$executeRaw`UPDATE notifications SET read_at = NULL WHERE id = ${id}::uuid AND user_id = ${userId}::uuid`;
}

/** Marks one as read, unless more has happened than was seen; one that is read already keeps its instant. */
export async function setRead(tx: Tx, userId: string, id: string, seen: Seen | undefined): Promise<void> {
  await tx.$executeRaw`
    UPDATE notifications SET read_at = greatest(now(), updated_at)
    WHERE id = ${id}::uuid AND user_id = ${userId}::uuid AND read_at IS NULL
      ${seen === undefined ? Prisma.empty : Prisma.sql`AND ${wasSeen(seen)}`}`;
}

/** Removes those that are kept no longer, in batches, and says how many. */
export async function purgeNotifications(tx: Tx, batchSize = 1_000): Promise<number> {
  let purged = 0;
  for (let removed = batchSize; removed === batchSize; purged += removed) {
    removed = await tx.$executeRaw`
      DELETE FROM notifications WHERE id IN (
        SELECT id FROM notifications WHERE created_at AT TIME ZONE 'UTC' <= ${keptSince()}::timestamptz AT TIME ZONE 'UTC'
        ORDER BY created_at AT TIME ZONE 'UTC' LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)`;
  }
  return purged;
}
