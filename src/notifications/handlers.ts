import type { Operations, Schemas } from "../contract.ts";
import type { Cursors } from "../cursor.ts";
import type { Db } from "../db/client.ts";
import { etagOf } from "../etag.ts";
import { notFound } from "../failure.ts";
import { createdPosition, pageByTime } from "../pagination.ts";
import { changeStatus, markUpTo, UNREAD_MAX } from "./service.ts";
import { countUnread, findNotification, findNotifications, type NotificationRow } from "./store.ts";

type Parts = { readonly db: Db; readonly cursors: Cursors };

export function notificationHandlers({
  db,
  cursors,
}: Parts): Operations<"listNotifications" | "updateNotifications" | "getNotification" | "updateNotification"> {
  return {
    async listNotifications({ principal, query }) {
      const { status, kind } = query;
      const [{ rows, page }, unread] = await Promise.all([
        pageByTime(
          cursors,
          { operation: "listNotifications", status, kind },
          query,
          (window) => findNotifications(db, principal.userId, { status, kind }, window),
          createdPosition,
        ),
        countUnread(db, principal.userId, UNREAD_MAX),
      ]);
      const body = { data: rows.map(notification), page, unread_count: unread };
      return { status: 200, headers: { ETag: etagOf(body) }, body };
    },

    async updateNotifications({ principal, body }) {
      return { status: 200, body: await markUpTo(db, principal.userId, body.up_to) };
    },

    async getNotification({ principal, path }) {
      const row = await findNotification(db, principal.userId, path.notification_id);
      if (row === null) throw notFound("notification");
      const body = notification(row);
      return { status: 200, headers: { ETag: etagOf(body) }, body };
    },

    async updateNotification({ principal, path, body }) {
      const changed = notification(await changeStatus(db, principal.userId, path.notification_id, body.status));
      return { status: 200, headers: { ETag: etagOf(changed) }, body: changed };
    },
  };
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
    created_at: row.createdAt.toISOString(),
    read_at: row.readAt?.toISOString() ?? null,
  };
}
