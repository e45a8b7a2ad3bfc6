import type { Schemas } from "../contract/contract.ts";
import { toUserSummary } from "../users/wire.ts";
import type { NotificationRow } from "./store.ts";

/** What the `ETag` of a notification identifies: a rename of the actor doesn't change it. */
export type NotificationVersion = Omit<Schemas["Notification"], "actor">;

/** Maps each field explicitly, so that a new column is never sent by accident. */
export function toNotificationVersion(row: NotificationRow): NotificationVersion {
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
    archived_at: row.archivedAt,
  };
}

export const withActor = (version: NotificationVersion, { actorId, actorName }: NotificationRow): Schemas["Notification"] => ({
  ...version,
  actor: actorId === null ? null : toUserSummary(actorId, actorName),
});

export const toNotification = (row: NotificationRow): Schemas["Notification"] => withActor(toNotificationVersion(row), row);
