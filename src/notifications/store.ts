import * as sql from "#generated/sql/notifications.ts";
import type { Tx } from "../database/client.ts";
import type { CreationPageRequest } from "../pagination/keyset.ts";
import type { Runner } from "../database/statement.ts";
import type { ErasedUser } from "../database/table.ts";
import { DELETED_TEXT, DELETED_USER_ID } from "../auth/deleted-user.ts";
import type { Seen } from "./seen.ts";

export {
  countUnread,
  findNotification,
  lockNotification,
  setArchived,
  setRead,
  setUnread,
  takeOutOfArchive,
} from "#generated/sql/notifications.ts";
export type NotificationRow = sql.FindNotificationRow;

export type Filter = {
  readonly status?: "unread" | "read" | undefined;
  readonly kind?: string | undefined;
  readonly archived: "exclude" | "only";
};

/** The maximum of a count: 1000 means a thousand or more. */
export const UNREAD_MAX = 1_000;
/** How many notifications one statement marks as read, or removes. */
export const BATCH_MAX = 1_000;

/** Reads a page of notifications, the snapshot of the list, and the unread count, in one statement. */
export async function findNotifications(
  runner: Runner,
  userId: string,
  { status, kind, archived }: Filter,
  pageRequest: CreationPageRequest,
) {
  const listed = { userId, status: status ?? null, unreadMax: UNREAD_MAX };
  const [find, findOfKind] =
    archived === "only" ? [sql.findArchived, sql.findArchivedOfKind] : [sql.findNotifications, sql.findNotificationsOfKind];
  const rows = await (kind === undefined
    ? find(runner, pageRequest, listed)
    : findOfKind(runner, pageRequest, { ...listed, kind }));
  const { snapshot, server, until, unread } = rows[0]!;
  const shown = rows.filter((it): it is typeof it & NotificationRow => it.id !== null);
  return { rows: shown, seen: { snapshot, server, until: new Date(until) }, unread };
}

/** The parameters of a condition on seen events. In a transaction, so that both statements run on one server. */
async function seenParameters(tx: Tx, userId: string, { snapshot, server, until: time }: Seen) {
  const until = time.toISOString();
  const { untilHere } = await sql.findUntilHere(tx, { userId, until, server });
  return { snapshot, until, untilHere };
}

/** Marks a notification as read, unless it has an event that `seen` does not include. */
export async function setReadIfSeen(tx: Tx, userId: string, id: string, seen: Seen): Promise<void> {
  await sql.setReadIfSeen(tx, { userId, id, ...(await seenParameters(tx, userId, seen)) });
}

/** Archives a notification, and marks it as read, unless it has an event that `seen` does not include. */
export async function setArchivedIfSeen(tx: Tx, userId: string, id: string, seen: Seen): Promise<void> {
  await sql.setArchivedIfSeen(tx, { userId, id, ...(await seenParameters(tx, userId, seen)) });
}

/** Seen notifications of a user, of one subject or all, and whether to archive them. */
type SeenSelection = {
  readonly userId: string;
  readonly seen: Seen;
  readonly subjectId?: string | undefined;
  readonly archived: boolean;
};

/** Changes at most one batch of seen notifications, and returns their number. With `archived`, read ones are archived, too. */
export async function markSeen(tx: Tx, { userId, seen, subjectId, archived }: SeenSelection): Promise<number> {
  const condition = { userId, ...(await seenParameters(tx, userId, seen)) };
  const marking = { ...condition, archived, most: BATCH_MAX };
  const marked = await (subjectId === undefined
    ? sql.markSeen(tx, marking)
    : sql.markSeenOfSubject(tx, { ...marking, subjectId }));
  if (!archived || marked === BATCH_MAX) return marked;
  const archiving = { ...condition, most: BATCH_MAX - marked };
  return (
    marked +
    (await (subjectId === undefined ? sql.archiveRead(tx, archiving) : sql.archiveReadOfSubject(tx, { ...archiving, subjectId })))
  );
}

/** Removes expired notifications, and returns their number. */
export async function purgeNotifications(tx: Tx, most = BATCH_MAX): Promise<number> {
  for (let purged = 0; ;) {
    const { found, removed } = await sql.purgeSome(tx, { most });
    purged += removed;
    if (found < most) return purged;
  }
}

/** Removes a batch of the notifications about a subject, and returns their number. */
export const removeSome = (tx: Tx, subjectId: string, batch: number): Promise<number> => sql.removeSome(tx, { subjectId, batch });

/** Removes the name and texts of a user from a batch of the notifications about a conversation, and returns their number. */
export const eraseFromSome = (tx: Tx, conversationId: string, { id: userId }: ErasedUser, batch: number) =>
  sql.eraseFromNotifications(tx, { userId, conversationId, batch, deletedUserId: DELETED_USER_ID, text: DELETED_TEXT });
