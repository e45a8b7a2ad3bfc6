import { randomUUIDv7 } from "node:crypto";
import { Prisma, type Notification } from "#generated/prisma/client.ts";
import type { Tx } from "../database/client.ts";
import { keysetInSql, type CreationWindow } from "../database/keyset.ts";
import { purge } from "../database/purge.ts";
import type { NoticeInSql, Notify } from "../notifier.ts";
import type { Seen } from "./seen.ts";

export type NotificationRow = Omit<Notification, "userId" | "subjectId">;

export type Filter = { readonly status?: "unread" | "read" | undefined; readonly kind?: string | undefined };

/** From when on notifications are kept, as the contract says. Older ones do not exist, whether they were purged already or not. */
const KEPT_SINCE = "now() - interval '90 days'";
const IS_KEPT = Prisma.raw(`created_at > ${KEPT_SINCE}`);

/** How many notifications one statement marks. */
export const MARKED_AT_ONCE_MAX = 1_000;
/** The columns of a NotificationRow. */
const COLUMNS = Prisma.raw(`id, kind, title, body, resource_type AS "resourceType", resource_id AS "resourceId",
  resource_href AS "resourceHref", event_count AS "eventCount", created_at AS "createdAt", updated_at AS "updatedAt", read_at AS "readAt"`);

/**
 * The condition of a notification that says nothing but what was seen. One of a transaction that has not begun yet was
 * written by another server, before its database was moved here.
 */
const wasSeen = ({ snapshot, until }: Seen) => Prisma.sql`(created_at <= ${until}::timestamptz
  AND (pg_visible_in_snapshot(xact_id, ${snapshot}::pg_snapshot) OR xact_id >= pg_snapshot_xmax(pg_current_snapshot())))`;

const TITLE_MAX = 200;
const BODY_MAX = 500;

/** A text cut to what the contract allows, by characters, not bytes. */
const cut = (text: string, max: number) =>
  `CASE WHEN length(${text}) > ${max} THEN left(${text}, ${max - 1}) || '…' ELSE ${text} END`;

/**
 * The INSERT of notifications. Where the user has an unread one of the subject and kind, that one counts the event and keeps
 * its place, so that no page loses it; one that was read, or is kept no longer, gives way to a new one. Nothing that is
 * indexed changes while it counts: PostgreSQL then writes the row alone (HOT), and none of its indices.
 */
export function insertInSql(it: NoticeInSql): string {
  const counts = `(n.read_at IS NULL AND n.created_at > ${KEPT_SINCE})`;
  const kept = (column: string) => `${column} = CASE WHEN ${counts} THEN n.${column} ELSE excluded.${column} END`;
  // One statement does not know how many ids it needs: each row gets the instant of the given one and its own random part.
  return `
    INSERT INTO notifications AS n
      (id, user_id, subject_id, kind, title, body, resource_type, resource_id, resource_href, created_at, updated_at)
    SELECT (left(${it.idLike}::text, 15) || substr(gen_random_uuid()::text, 16))::uuid, ${it.userId}, ${it.subjectId}, ${it.kind},
      ${cut(it.title, TITLE_MAX)}, ${cut(it.body, BODY_MAX)}, ${it.resourceType}, ${it.resourceId}, ${it.resourceHref}, ${it.at}, ${it.at}
    FROM ${it.rows} ORDER BY ${it.userId}
    ON CONFLICT (user_id, subject_id, kind) DO UPDATE SET ${kept("id")}, ${kept("created_at")},
      event_count = CASE WHEN ${counts} THEN n.event_count + 1 ELSE 1 END, read_at = NULL, updated_at = excluded.updated_at,
      title = excluded.title, body = excluded.body, resource_type = excluded.resource_type, resource_id = excluded.resource_id,
      resource_href = excluded.resource_href, xact_id = pg_current_xact_id()`;
}

const INSERT = insertInSql({
  rows: "unnest($1::uuid[]) AS one (user_id), clock_timestamp() AS at",
  userId: "user_id",
  idLike: "$2",
  kind: "$3",
  title: "$4::text",
  body: "$5::text",
  subjectId: "$6",
  resourceType: "$7",
  resourceId: "$8",
  resourceHref: "$9",
  at: "at",
});

/** Notifies users of an event, in its transaction. */
export const insertNotifications: Notify = async (tx, userIds, { kind, title, body, subjectId, resource }) => {
  const texts = [kind, title, body, subjectId, resource.type, resource.id, resource.href];
  await tx.$executeRawUnsafe(INSERT, userIds, randomUUIDv7(), ...texts);
};

export async function findNotification(tx: Tx, userId: string, id: string): Promise<NotificationRow | null> {
  const [row] = await tx.$queryRaw<NotificationRow[]>`
    SELECT ${COLUMNS} FROM notifications
    WHERE id = ${id}::uuid AND user_id = ${userId}::uuid AND ${IS_KEPT}`;
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
    WHERE user_id = ${userId}::uuid AND read_at ${Prisma.raw(readAt)} AND ${IS_KEPT}
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
      SELECT FROM notifications WHERE user_id = ${userId}::uuid AND read_at IS NULL AND ${IS_KEPT}
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
 * Marks at most a batch of what was seen, of one subject or of all, the oldest first, and returns how many. It skips what
 * is locked: another event is just being counted there, so what the notification will say was not seen.
 */
export function markSeen(tx: Tx, userId: string, seen: Seen, subjectId?: string): Promise<number> {
  const ofSubject = subjectId === undefined ? Prisma.empty : Prisma.sql`AND subject_id = ${subjectId}`;
  return tx.$executeRaw`
    UPDATE notifications SET read_at = greatest(now(), updated_at) WHERE id IN (
      SELECT id FROM notifications
      WHERE user_id = ${userId}::uuid ${ofSubject} AND read_at IS NULL
        AND ${IS_KEPT} AND ${wasSeen(seen)}
      ORDER BY created_at, id LIMIT ${MARKED_AT_ONCE_MAX} FOR UPDATE SKIP LOCKED)`;
}

/** Removes those that are kept no longer, and returns how many. */
export function purgeNotifications(tx: Tx, batchSize?: number): Promise<number> {
  const since = Prisma.raw(`(${KEPT_SINCE}) AT TIME ZONE 'UTC'`);
  const expired = Prisma.sql`created_at AT TIME ZONE 'UTC' <= ${since} ORDER BY created_at AT TIME ZONE 'UTC'`;
  return purge(tx, "notifications", expired, batchSize);
}
