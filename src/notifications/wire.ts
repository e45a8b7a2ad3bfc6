import type { Schemas } from "../contract/contract.ts";
import { DELETED_TEXT, NAME_OF_NOBODY, NOBODY, toUserSummary } from "../auth/wire.ts";
import type { NotificationRow } from "./store.ts";

/** What the `ETag` of a notification identifies: a rename of the actor doesn't change it. */
export type NotificationVersion = Omit<Schemas["Notification"], "actor">;

const TITLES_WITHOUT_NAME: Readonly<Record<string, string>> = {
  "message.created": `${NAME_OF_NOBODY} wrote to you`,
  "conversation.member_added": `${NAME_OF_NOBODY} added you to a conversation`,
};

/** What a notification says. A job removes the name and the words of a deleted user, which can take a while: here they are gone at once. */
function textsOf({ kind, title, body, actorId, actorName }: NotificationRow): Pick<Schemas["Notification"], "title" | "body"> {
  // The job gives the notification this actor when it rewrites it.
  if (actorId === null || actorId === NOBODY || actorName !== null) return { title, body };
  return { title: TITLES_WITHOUT_NAME[kind] ?? NAME_OF_NOBODY, body: body === null ? null : DELETED_TEXT };
}

export function toNotificationVersion(row: NotificationRow): NotificationVersion {
  return {
    id: row.id,
    kind: row.kind,
    status: row.readAt === null ? "unread" : "read",
    ...textsOf(row),
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
