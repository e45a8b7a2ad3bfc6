import { Prisma } from "#generated/prisma/client.ts";
import type { Tx } from "../database/client.ts";
import { BY_CREATION, type CreationWindow } from "../database/keyset.ts";
import { listStatement, columnsOf, rowStatement, statement, unplanned, type RowOf } from "../database/old-statement.ts";
import type { Runner } from "../database/statement.ts";
import type { Seen } from "./seen.ts";

const NOTIFICATION = {
  id: "uuid",
  kind: "text",
  title: "text",
  body: "text?",
  resourceType: "text",
  resourceId: "text",
  resourceHref: "text",
  eventCount: "int",
  createdAt: "instant",
  updatedAt: "instant",
  readAt: "instant?",
} as const;
export type NotificationRow = RowOf<typeof NOTIFICATION>;
const COLUMNS = columnsOf(NOTIFICATION);

export type Filter = { readonly status?: "unread" | "read" | undefined; readonly kind?: string | undefined };

/**
 * The retention period of the contract, from the newest event on. An older notification does not exist for clients, even if it is
 * not purged yet.
 */
const KEPT_SINCE = "now() - interval '90 days'";
const IS_KEPT = `updated_at > ${KEPT_SINCE}`;

/** How many notifications one statement marks as read. */
export const MARKED_AT_ONCE_MAX = 1_000;

/** More than the clocks of two servers differ, and more than an event takes until its transaction is committed. */
const MARGIN = "interval '1 minute'";

/**
 * The condition of a notification whose events the user has all seen. Transaction ids go back on a server that is promoted or
 * restored, so later events there can have those of the snapshot, but not its time. An id that this server has not assigned yet
 * is from the server of a dump, or of an event that is being committed right now: only its time tells. In a transaction, so that
 * the server is the one that runs the statement.
 */
async function wasSeen(tx: Tx, { snapshot, server, until }: Seen): Promise<Prisma.Sql> {
  // First, because the planner knows nothing about the result of a subquery, and would read all notifications of the user.
  const [here] = await tx.$queryRaw<{ until: Date }[]>`
    SELECT ${until}::timestamptz - CASE WHEN ${server} = server_identity() THEN interval '0' ELSE ${Prisma.raw(MARGIN)} END AS until`;
  return Prisma.sql`(created_at <= ${until}::timestamptz AND updated_at <= ${here!.until}::timestamptz
    AND (pg_visible_in_snapshot(xact_id, ${snapshot}::pg_snapshot)
      OR (xact_id >= pg_snapshot_xmax(pg_current_snapshot()) AND updated_at <= ${until}::timestamptz - ${Prisma.raw(MARGIN)})))`;
}

/** In SQL so that all reads of notifications have the same row. */
export const findNotification = rowStatement({
  name: "find_notification",
  takes: ["uuid", "uuid"],
  gives: NOTIFICATION,
  text: `SELECT ${COLUMNS} FROM notifications WHERE user_id = $1::uuid AND id = $2::uuid AND ${IS_KEPT}`,
});

/**
 * The number of unread notifications of the user `$1`, but at most `$2`. Nearly all of them began in the retention period: an
 * index alone tells their number. The others are looked at only if there are fewer than the maximum.
 */
const unreadThat = (isKept: string) => `(SELECT FROM notifications WHERE user_id = $1::uuid AND read_at IS NULL AND ${isKept}
  ORDER BY created_at DESC LIMIT ${unplanned("$2", "int")})`;
const UNREAD = `(SELECT count(*)::int FROM (${unreadThat(`created_at > ${KEPT_SINCE}`)}
  UNION ALL ${unreadThat(`created_at <= ${KEPT_SINCE} AND ${IS_KEPT}`)} LIMIT ${unplanned("$2", "int")}) AS counted)`;

/** A time that no event until now is after. Times of events are rounded to milliseconds. */
const NOW_ROUNDED_UP = "clock_timestamp() + interval '1 millisecond'";

/**
 * Declares a page with the snapshot that it was read in and the number of unread notifications. Each status has its own index,
 * whose scan starts at the position; a list of both statuses is merged. An empty page is one row whose `id` is null.
 */
function declareList(status: Filter["status"], isOfKind: boolean) {
  const ofKind = isOfKind ? "AND kind = $3::text" : "";
  return listStatement({
    name: `find_${status ?? "all"}_notifications${isOfKind ? "_of_kind" : ""}`,
    takes: ["uuid", "int", ...(isOfKind ? (["text"] as const) : [])],
    gives: { snapshot: "text", server: "text", until: "instant", unread: "int", ...NOTIFICATION, id: "uuid?" },
    order: BY_CREATION,
    text({ andAfter, orderAndLimit }) {
      const ofStatus = (isRead: string) => `(SELECT ${COLUMNS} FROM notifications
        WHERE user_id = $1::uuid AND read_at ${isRead} AND ${IS_KEPT} ${ofKind} ${andAfter} ${orderAndLimit})`;
      const statuses = { unread: [ofStatus("IS NULL")], read: [ofStatus("IS NOT NULL")] };
      const listed = status === undefined ? [...statuses.unread, ...statuses.read] : statuses[status];
      return `SELECT now.*, page.* FROM (
          SELECT pg_current_snapshot()::text AS snapshot, server_identity() AS server, ${NOW_ROUNDED_UP} AS until, ${UNREAD} AS unread) AS now
        LEFT JOIN (SELECT * FROM (${listed.join(" UNION ALL ")}) AS listed ${orderAndLimit}) AS page ON true ${orderAndLimit}`;
    },
  });
}

const both = (status?: "unread" | "read") => [declareList(status, false), declareList(status, true)] as const;
const LISTS = { all: both(), unread: both("unread"), read: both("read") };

/** In SQL because one statement reads all of it: the rows of a window, what was seen with them, and the unread count. */
export async function findNotifications(
  runner: Runner,
  userId: string,
  { status, kind }: Filter,
  window: CreationWindow,
  unreadMax: number,
): Promise<{ readonly rows: readonly NotificationRow[]; readonly seen: Seen; readonly unread: number }> {
  const [ofAnyKind, ofKind] = LISTS[status ?? "all"];
  const rows = await (kind === undefined
    ? ofAnyKind(runner, window, userId, unreadMax)
    : ofKind(runner, window, userId, unreadMax, kind));
  const { snapshot, server, until, unread } = rows[0]!;
  const shown = rows.filter((it): it is typeof it & NotificationRow => it.id !== null);
  return { rows: shown, seen: { snapshot, server, until: new Date(until) }, unread };
}

const COUNT_UNREAD = statement({
  name: "count_unread",
  takes: ["uuid", "int"],
  gives: { unread: "int" },
  text: `SELECT ${UNREAD} AS unread`,
});

/** The number of unread notifications, but at most `max`. */
export async function countUnread(runner: Runner, userId: string, max: number): Promise<number> {
  return (await COUNT_UNREAD(runner, userId, max))[0]!.unread;
}

/** Marks a notification as unread. */
export async function setUnread(tx: Tx, userId: string, id: string): Promise<void> {
  await tx.$executeRaw`UPDATE notifications SET read_at = NULL WHERE id = ${id}::uuid AND user_id = ${userId}::uuid`;
}

/** Marks a notification as read, unless it has an event that `seen` does not include. A read one keeps its `read_at`. */
export async function setRead(tx: Tx, userId: string, id: string, seen: Seen | undefined): Promise<void> {
  const ifSeen = seen === undefined ? Prisma.empty : Prisma.sql`AND ${await wasSeen(tx, seen)}`;
  await tx.$executeRaw`
    UPDATE notifications SET read_at = greatest(now(), updated_at)
    WHERE id = ${id}::uuid AND user_id = ${userId}::uuid AND read_at IS NULL ${ifSeen}`;
}

/**
 * Marks at most one batch of seen notifications as read, of one subject or of all, oldest first, and returns their number. It
 * skips locked rows: a transaction is counting another event there, which the user has not seen. In a transaction.
 */
export async function markSeen(tx: Tx, userId: string, seen: Seen, subjectId?: string): Promise<number> {
  const ofSubject = subjectId === undefined ? Prisma.empty : Prisma.sql`AND subject_id = ${subjectId}`;
  return tx.$executeRaw`
    UPDATE notifications SET read_at = greatest(now(), updated_at) WHERE id IN (
      SELECT id FROM notifications
      WHERE user_id = ${userId}::uuid ${ofSubject} AND read_at IS NULL
        AND ${Prisma.raw(IS_KEPT)} AND ${await wasSeen(tx, seen)}
      ORDER BY created_at, id LIMIT ${MARKED_AT_ONCE_MAX} FOR UPDATE SKIP LOCKED)`;
}

const PURGE_BATCH_SIZE = 1_000;
/** When the purge looks at a notification: an expression that only its index has. */
const PURGE_FROM = "(coalesce(purge_from, created_at) AT TIME ZONE 'UTC')";

/**
 * Removes expired notifications, and returns their number. An event does not change `purge_from`, so a notification that has
 * counted further events is found too early. It is then put off by as much, and read again when it can have expired.
 */
export async function purgeNotifications(tx: Tx, batchSize = PURGE_BATCH_SIZE): Promise<number> {
  const [from, since] = [Prisma.raw(PURGE_FROM), Prisma.raw(KEPT_SINCE)];
  for (let purged = 0; ;) {
    const [row] = await tx.$queryRaw<{ found: number; removed: number }[]>`
      WITH found AS MATERIALIZED (
        SELECT id, updated_at FROM notifications WHERE ${from} <= (${since}) AT TIME ZONE 'UTC'
        ORDER BY ${from} LIMIT ${batchSize} FOR UPDATE SKIP LOCKED),
      put_off AS (
        UPDATE notifications n SET purge_from = n.updated_at FROM found f WHERE n.id = f.id AND f.updated_at > ${since}),
      removed AS (
        DELETE FROM notifications n USING found f WHERE n.id = f.id AND f.updated_at <= ${since} RETURNING 1)
      SELECT (SELECT count(*) FROM found)::int AS found, (SELECT count(*) FROM removed)::int AS removed`;
    purged += row!.removed;
    if (row!.found < batchSize) return purged;
  }
}

/** Removes some of the notifications about a subject, and returns their number. */
export function removeSome(tx: Tx, subjectId: string, batch: number): Promise<number> {
  return tx.$executeRaw`
    DELETE FROM notifications WHERE id IN (
      SELECT id FROM notifications WHERE subject_id = ${subjectId} ORDER BY user_id LIMIT ${batch} FOR UPDATE)`;
}
