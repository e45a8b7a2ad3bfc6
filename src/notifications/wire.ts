import type { Schemas } from "../contract/contract.ts";
import type { NotificationRow } from "./store.ts";

/** Maps each field explicitly, so that a new column is never sent by accident. */
export function toNotification(row: NotificationRow): Schemas["Notification"] {
  return {
    id: row.id,
    kind: row.kind,
    status: row.readAt === null ? "unread" : "read",
    title: row.title,
    body: row.body,
    resource: { type: row.resourceType, id: row.resourceId, href: row.resourceHref },
    event_count: row.eventCount,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
    read_at: row.readAt,
  };
}
