import { randomUUIDv7 } from "node:crypto";
import { Prisma } from "#generated/prisma/client.ts";
import type { Tx } from "../database/client.ts";
import { keysetInSql, type CreationWindow } from "../database/keyset.ts";
import { keptSince, type NotificationRow } from "./rows.ts";
import type { Seen } from "./seen.ts";
import { countOn, cutBody, cutTitle, TOLD_COLUMNS } from "./tell.ts";

export type Status = "unread" | "read";
export type Filter = { readonly status?: Status | undefined; readonly kind?: string | undefined };

/** What an entry says, the same to everybody who gets it; events of one subject and kind share an entry. */
export type NotificationText = Pick<
  NotificationRow,
  "kind" | "title" | "body" | "resourceType" | "resourceId" | "resourceHref"
> & {
  readonly subjectId: string;
};

/** How many entries one statement marks. */
export const MARKED_AT_ONCE_MAX = 1_000;
/** The columns of a NotificationRow. */
const COLUMNS = Prisma.raw(`id, kind, title, body, resource_type AS "resourceType", resource_id AS "resourceId",
  resource_href AS "resourceHref", event_count AS "eventCount", created_at AS "createdAt", updated_at AS "updatedAt", read_at AS "readAt"`);

/**
 * The condition of an entry that says nothing but what was seen. One of a transaction that has not begun yet was written
 * by another server, before its database was moved here.
 */
const wasSeen = ({ snapshot, until }: Seen) => Prisma.sql`(created_at <= ${until}::timestamptz
  AND (pg_visible_in_snapshot(xact_id, ${snapshot}::pg_snapshot) OR xact_id >= pg_snapshot_xmax(pg_current_snapshot())))`;

/** Tells the users, in the order of their ids, so that two tellings of one subject cannot block each other. */
export async function insertNotifications(
  tx: Tx,
  userIds: readonly string[],
  { subjectId, kind, title, body, resourceType, resourceId, resourceHref }: NotificationText,
): Promise<void> {
  const likeId = Prisma.sql`(left(${randomUUIDv7()}, 15) || substr(gen_random_uuid()::text, 16))::uuid`;
  await tx.$executeRaw`
    INSERT INTO notifications AS n ${Prisma.raw(TOLD_COLUMNS)}
    SELECT ${likeId}, user_id, ${subjectId}, ${kind}, ${cutTitle(title)}, ${body === null ? null : cutBody(body)},
      ${resourceType}, ${resourceId}, ${resourceHref}, at, at
    FROM unnest(${userIds}::uuid[]) AS one (user_id), clock_timestamp() AS at ORDER BY user_id
    ${Prisma.raw(countOn(`'${keptSince().toISOString()}'::timestamptz`))}`;
}

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
  window: CreationWindow,
): Promise<NotificationRow[]> {
  const { andAfter, orderAndLimit } = keysetInSql(window, ["created_at", "id"]);
  const ofStatus = (readAt: "IS NULL" | "IS NOT NULL") => Prisma.sql`(
    SELECT ${COLUMNS} FROM notifications
    WHERE user_id = ${userId}::uuid AND read_at ${Prisma.raw(readAt)} AND created_at > ${keptSince()}::timestamptz
    ${kind === undefined ? Prisma.empty : Prisma.sql`AND kind = ${kind}`}
    ${andAfter} ${orderAndLimit})`;
  const statuses = [
    ...(status === "read" ? [] : [ofStatus("IS NULL")]),
    ...(status === "unread" ? [] : [ofStatus("IS NOT NULL")]),
  ];
  return tx.$queryRaw<NotificationRow[]>`
    SELECT * FROM (${Prisma.join(statuses, " UNION ALL ")}) AS listed ${keysetInSql(window, ['"createdAt"', "id"]).orderAndLimit}`;
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

/** What is to be seen now; asked before the list is read, so that a list shows at least as much. */
export async function seeNow(tx: Tx): Promise<Seen> {
  const [now] = await tx.$queryRaw<Seen[]>`SELECT pg_current_snapshot()::text AS snapshot, clock_timestamp() AS until`;
  return now!;
}

/**
 * Marks at most a batch of what was seen, of one subject or of all, the oldest first, and says how many. Nobody waits: an
 * entry that somebody holds is just being counted on, so what it will say was not seen.
 */
export function markSeen(tx: Tx, userId: string, seen: Seen, subjectId?: string): Promise<number> {
  const ofSubject = subjectId === undefined ? Prisma.empty : Prisma.sql`AND subject_id = ${subjectId}`;
  return tx.$executeRaw`
    UPDATE notifications SET read_at = greatest(now(), updated_at) WHERE id IN (
      SELECT id FROM notifications
      WHERE user_id = ${userId}::uuid ${ofSubject} AND read_at IS NULL
        AND created_at > ${keptSince()}::timestamptz AND ${wasSeen(seen)}
      ORDER BY created_at, id LIMIT ${MARKED_AT_ONCE_MAX} FOR UPDATE SKIP LOCKED)`;
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
