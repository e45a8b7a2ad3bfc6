import type { Operations, Schemas } from "../contract/contract.ts";
import type { Cursors } from "../lists/cursor.ts";
import type { Db } from "../database/client.ts";
import { etagOf, weakEtagOf } from "../etag.ts";
import { Failure, notFound } from "../failure.ts";
import type { JobQueue } from "../jobs/jobs.ts";
import { BY_CREATION } from "../database/keyset.ts";
import { list } from "../lists/list.ts";
import type { NotificationRow } from "./rows.ts";
import { seenFromNumbers, seenToNumbers, type Seen } from "./seen.ts";
import { changeStatus, markAsRead, UNREAD_MAX } from "./service.ts";
import { countUnread, findNotification, findNotifications, seeNow } from "./store.ts";

type Parts = { readonly db: Db; readonly cursors: Cursors; readonly queue: JobQueue };

export function notificationHandlers({ db, cursors, queue }: Parts): Operations<"Notifications"> {
  return {
    async listNotifications(input) {
      const { principal, query } = input;
      // First what can be seen, and then the list: it shows that at least.
      const now = await seeNow(db);
      const [{ status, body }, unread] = await Promise.all([
        list(cursors, input, {
          order: BY_CREATION,
          find: (window) => findNotifications(db, principal.userId, query, window),
          toWire: notification,
        }),
        countUnread(db, principal.userId, UNREAD_MAX),
      ]);
      const newest = body.data.map((it) => new Date(it.created_at)).sort((a, b) => Number(b) - Number(a))[0];
      const seen = cursors.encode(seenContext(principal.userId), seenToNumbers(now, newest));
      const shown = { ...body, unread_count: unread };
      return { status, headers: { ETag: weakEtagOf(shown) }, body: { ...shown, seen } };
    },

    async updateNotifications({ principal: { userId }, body }) {
      const marking = { userId, seen: seenFrom(cursors, userId, body.seen), subjectId: body.conversation_id };
      return { status: 200, body: await markAsRead(db, queue, marking) };
    },

    async getNotification({ principal, path }) {
      const row = await findNotification(db, principal.userId, path.notification_id);
      if (row === null) throw notFound("notification");
      const body = notification(row);
      return { status: 200, headers: { ETag: etagOf(body) }, body };
    },

    async updateNotification({ principal: { userId }, path, body }) {
      const seen = body.seen === undefined ? undefined : seenFrom(cursors, userId, body.seen);
      const changed = notification(await changeStatus(db, userId, path.notification_id, body.status, seen));
      return { status: 200, headers: { ETag: etagOf(changed) }, body: changed };
    },
  };
}

const seenContext = (userId: string) => ({ operation: "listNotifications", seen: userId });

function seenFrom(cursors: Cursors, userId: string, token: string): Seen {
  try {
    return seenFromNumbers(cursors.decode(seenContext(userId), "seen", token).map(Number));
  } catch (cause) {
    const detail = "seen is not from a list of your notifications. List them again and send the new seen.";
    throw new Failure("invalid_cursor", detail, {
      errors: [{ in: "body", pointer: "/seen", code: "invalid_cursor", detail }],
      cause,
    });
  }
}

/** Row to wire, field by field, so that a new column is never sent by accident. */
function notification(row: NotificationRow): Schemas["Notification"] {
  return {
    id: row.id,
    kind: row.kind,
    status: row.readAt === null ? "unread" : "read",
    title: row.title,
    body: row.body,
    resource: { type: row.resourceType, id: row.resourceId, href: row.resourceHref },
    event_count: row.eventCount,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    read_at: row.readAt?.toISOString() ?? null,
  };
}
