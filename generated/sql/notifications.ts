// Generated: do not edit, run `npm run generate`. From src/notifications/store.sql.

import { page } from "../../src/pagination/keyset.ts";
import { affectedRows, exactlyOne, one } from "../../src/database/statement.ts";

export type FindNotificationParameters = {
  readonly userId: string;
  readonly id: string;
};
export type FindNotificationRow = {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly body: string | null;
  readonly resourceType: string;
  readonly resourceId: string;
  readonly resourceHref: string;
  readonly eventCount: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly readAt: string | null;
  readonly archivedAt: string | null;
  readonly actorId: string | null;
  readonly nameThen: string | null;
  readonly subjectTitle: string | null;
  readonly detail: unknown | null;
  readonly actorName: string | null;
};
/** A notification. The second statement locks it until the transaction ends. In SQL so that all reads of notifications have the same row. */
export const findNotification = one<FindNotificationParameters, FindNotificationRow>({
  name: "find_notification",
  text: `SELECT id, kind, title, body, resource_type, resource_id, resource_href, event_count, created_at, updated_at, read_at,
  CASE WHEN archived_at >= read_at THEN archived_at END AS archived_at, actor_id, actor_name AS name_then, subject_title, detail, (SELECT display_name FROM people WHERE people.id = actor_id) AS actor_name
FROM notifications WHERE user_id = $1 AND id = $2 AND updated_at > now() - interval '90 days'`,
  values: (it) => [it.userId, it.id],
  columns: ["uuid", "varchar", "varchar", "varchar", "varchar", "varchar", "varchar", "int4", "timestamptz", "timestamptz", "timestamptz", "timestamptz", "uuid", "varchar", "varchar", "jsonb", "varchar"],
  row: (it) => ({ id: it[0], kind: it[1], title: it[2], body: it[3], resourceType: it[4], resourceId: it[5], resourceHref: it[6], eventCount: it[7], createdAt: it[8], updatedAt: it[9], readAt: it[10], archivedAt: it[11], actorId: it[12], nameThen: it[13], subjectTitle: it[14], detail: it[15], actorName: it[16] }) as FindNotificationRow,
});

export type LockNotificationParameters = {
  readonly userId: string;
  readonly id: string;
};
export type LockNotificationRow = {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly body: string | null;
  readonly resourceType: string;
  readonly resourceId: string;
  readonly resourceHref: string;
  readonly eventCount: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly readAt: string | null;
  readonly archivedAt: string | null;
  readonly actorId: string | null;
  readonly nameThen: string | null;
  readonly subjectTitle: string | null;
  readonly detail: unknown | null;
  readonly actorName: string | null;
};
/** A notification. The second statement locks it until the transaction ends. In SQL so that all reads of notifications have the same row. */
export const lockNotification = one<LockNotificationParameters, LockNotificationRow>({
  name: "lock_notification",
  text: `SELECT id, kind, title, body, resource_type, resource_id, resource_href, event_count, created_at, updated_at, read_at,
  CASE WHEN archived_at >= read_at THEN archived_at END AS archived_at, actor_id, actor_name AS name_then, subject_title, detail, (SELECT display_name FROM people WHERE people.id = actor_id) AS actor_name
FROM notifications WHERE user_id = $1 AND id = $2 AND updated_at > now() - interval '90 days' FOR UPDATE`,
  values: (it) => [it.userId, it.id],
  columns: ["uuid", "varchar", "varchar", "varchar", "varchar", "varchar", "varchar", "int4", "timestamptz", "timestamptz", "timestamptz", "timestamptz", "uuid", "varchar", "varchar", "jsonb", "varchar"],
  row: (it) => ({ id: it[0], kind: it[1], title: it[2], body: it[3], resourceType: it[4], resourceId: it[5], resourceHref: it[6], eventCount: it[7], createdAt: it[8], updatedAt: it[9], readAt: it[10], archivedAt: it[11], actorId: it[12], nameThen: it[13], subjectTitle: it[14], detail: it[15], actorName: it[16] }) as LockNotificationRow,
});

export type FindNotificationsParameters = {
  readonly userId: string;
  readonly unreadMax: number;
  readonly status: string | null;
  readonly createdAt: string;
  readonly id: string;
  readonly limit: number;
};
export type FindNotificationsRow = {
  readonly snapshot: string;
  readonly server: string;
  readonly unread: number;
  readonly until: string;
  readonly id: string | null;
  readonly kind: string | null;
  readonly title: string | null;
  readonly body: string | null;
  readonly resourceType: string | null;
  readonly resourceId: string | null;
  readonly resourceHref: string | null;
  readonly eventCount: number | null;
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  readonly readAt: string | null;
  readonly archivedAt: string | null;
  readonly actorId: string | null;
  readonly nameThen: string | null;
  readonly subjectTitle: string | null;
  readonly detail: unknown | null;
  readonly actorName: string | null;
};
/** A page with its state. An empty page is one row whose `id` is null. Each status has its own index, whose scan starts at the position;
 * the scan of the other status does not begin. A kind has its own index. In SQL because one statement must read all of it. */
export const findNotifications = page<FindNotificationsParameters, FindNotificationsRow>({
  name: "find_notifications",
  text: {
    asc: `SELECT state.*, page.*, (SELECT display_name FROM people WHERE people.id = page.actor_id) AS actor_name
FROM (SELECT pg_current_snapshot()::text AS "snapshot!", server_identity() AS "server!", (SELECT count(*) FROM (
        (SELECT 1 FROM notifications WHERE user_id = $1 AND read_at IS NULL AND created_at > now() - interval '90 days'
         ORDER BY created_at ASC LIMIT (SELECT $2::int))
        UNION ALL
        (SELECT 1 FROM notifications WHERE user_id = $1 AND read_at IS NULL AND created_at <= now() - interval '90 days'
           AND updated_at > now() - interval '90 days' ORDER BY created_at ASC LIMIT (SELECT $2::int))
        LIMIT (SELECT $2::int)) AS counted)::int AS "unread!",
    clock_timestamp() + interval '1 millisecond' AS "until!") AS state
LEFT JOIN (
  SELECT * FROM (
    (SELECT id, kind, title, body, resource_type, resource_id, resource_href, event_count, created_at, updated_at, read_at,
  CASE WHEN archived_at >= read_at THEN archived_at END AS archived_at, actor_id, actor_name AS name_then, subject_title, detail FROM notifications
     WHERE (SELECT $3::text) IS DISTINCT FROM 'read' AND user_id = $1 AND read_at IS NULL
       AND updated_at > now() - interval '90 days' AND (created_at, id) > ($4, $5)
     ORDER BY created_at ASC, id ASC LIMIT (SELECT $6::int))
    UNION ALL
    (SELECT id, kind, title, body, resource_type, resource_id, resource_href, event_count, created_at, updated_at, read_at,
  CASE WHEN archived_at >= read_at THEN archived_at END AS archived_at, actor_id, actor_name AS name_then, subject_title, detail FROM notifications
     WHERE (SELECT $3::text) IS DISTINCT FROM 'unread' AND user_id = $1 AND read_at IS NOT NULL
       AND (archived_at >= read_at) IS NOT TRUE
       AND updated_at > now() - interval '90 days' AND (created_at, id) > ($4, $5)
     ORDER BY created_at ASC, id ASC LIMIT (SELECT $6::int))) AS listed
  ORDER BY created_at ASC, id ASC LIMIT (SELECT $6::int)) AS page ON true
ORDER BY page.created_at ASC, page.id ASC`,
    desc: `SELECT state.*, page.*, (SELECT display_name FROM people WHERE people.id = page.actor_id) AS actor_name
FROM (SELECT pg_current_snapshot()::text AS "snapshot!", server_identity() AS "server!", (SELECT count(*) FROM (
        (SELECT 1 FROM notifications WHERE user_id = $1 AND read_at IS NULL AND created_at > now() - interval '90 days'
         ORDER BY created_at DESC LIMIT (SELECT $2::int))
        UNION ALL
        (SELECT 1 FROM notifications WHERE user_id = $1 AND read_at IS NULL AND created_at <= now() - interval '90 days'
           AND updated_at > now() - interval '90 days' ORDER BY created_at DESC LIMIT (SELECT $2::int))
        LIMIT (SELECT $2::int)) AS counted)::int AS "unread!",
    clock_timestamp() + interval '1 millisecond' AS "until!") AS state
LEFT JOIN (
  SELECT * FROM (
    (SELECT id, kind, title, body, resource_type, resource_id, resource_href, event_count, created_at, updated_at, read_at,
  CASE WHEN archived_at >= read_at THEN archived_at END AS archived_at, actor_id, actor_name AS name_then, subject_title, detail FROM notifications
     WHERE (SELECT $3::text) IS DISTINCT FROM 'read' AND user_id = $1 AND read_at IS NULL
       AND updated_at > now() - interval '90 days' AND (created_at, id) < ($4, $5)
     ORDER BY created_at DESC, id DESC LIMIT (SELECT $6::int))
    UNION ALL
    (SELECT id, kind, title, body, resource_type, resource_id, resource_href, event_count, created_at, updated_at, read_at,
  CASE WHEN archived_at >= read_at THEN archived_at END AS archived_at, actor_id, actor_name AS name_then, subject_title, detail FROM notifications
     WHERE (SELECT $3::text) IS DISTINCT FROM 'unread' AND user_id = $1 AND read_at IS NOT NULL
       AND (archived_at >= read_at) IS NOT TRUE
       AND updated_at > now() - interval '90 days' AND (created_at, id) < ($4, $5)
     ORDER BY created_at DESC, id DESC LIMIT (SELECT $6::int))) AS listed
  ORDER BY created_at DESC, id DESC LIMIT (SELECT $6::int)) AS page ON true
ORDER BY page.created_at DESC, page.id DESC`,
  },
  limit: 6,
  values: (it) => [it.userId, it.unreadMax, it.status, it.createdAt, it.id, it.limit],
  columns: ["text", "text", "int4", "timestamptz", "uuid", "varchar", "varchar", "varchar", "varchar", "varchar", "varchar", "int4", "timestamptz", "timestamptz", "timestamptz", "timestamptz", "uuid", "varchar", "varchar", "jsonb", "varchar"],
  row: (it) => ({ snapshot: it[0], server: it[1], unread: it[2], until: it[3], id: it[4], kind: it[5], title: it[6], body: it[7], resourceType: it[8], resourceId: it[9], resourceHref: it[10], eventCount: it[11], createdAt: it[12], updatedAt: it[13], readAt: it[14], archivedAt: it[15], actorId: it[16], nameThen: it[17], subjectTitle: it[18], detail: it[19], actorName: it[20] }) as FindNotificationsRow,
});

export type FindNotificationsOfKindParameters = {
  readonly userId: string;
  readonly unreadMax: number;
  readonly status: string | null;
  readonly kind: string;
  readonly createdAt: string;
  readonly id: string;
  readonly limit: number;
};
export type FindNotificationsOfKindRow = {
  readonly snapshot: string;
  readonly server: string;
  readonly unread: number;
  readonly until: string;
  readonly id: string | null;
  readonly kind: string | null;
  readonly title: string | null;
  readonly body: string | null;
  readonly resourceType: string | null;
  readonly resourceId: string | null;
  readonly resourceHref: string | null;
  readonly eventCount: number | null;
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  readonly readAt: string | null;
  readonly archivedAt: string | null;
  readonly actorId: string | null;
  readonly nameThen: string | null;
  readonly subjectTitle: string | null;
  readonly detail: unknown | null;
  readonly actorName: string | null;
};
/** A page with its state. An empty page is one row whose `id` is null. Each status has its own index, whose scan starts at the position;
 * the scan of the other status does not begin. A kind has its own index. In SQL because one statement must read all of it. */
export const findNotificationsOfKind = page<FindNotificationsOfKindParameters, FindNotificationsOfKindRow>({
  name: "find_notifications_of_kind",
  text: {
    asc: `SELECT state.*, page.*, (SELECT display_name FROM people WHERE people.id = page.actor_id) AS actor_name
FROM (SELECT pg_current_snapshot()::text AS "snapshot!", server_identity() AS "server!", (SELECT count(*) FROM (
        (SELECT 1 FROM notifications WHERE user_id = $1 AND read_at IS NULL AND created_at > now() - interval '90 days'
         ORDER BY created_at ASC LIMIT (SELECT $2::int))
        UNION ALL
        (SELECT 1 FROM notifications WHERE user_id = $1 AND read_at IS NULL AND created_at <= now() - interval '90 days'
           AND updated_at > now() - interval '90 days' ORDER BY created_at ASC LIMIT (SELECT $2::int))
        LIMIT (SELECT $2::int)) AS counted)::int AS "unread!",
    clock_timestamp() + interval '1 millisecond' AS "until!") AS state
LEFT JOIN (
  SELECT * FROM (
    (SELECT id, kind, title, body, resource_type, resource_id, resource_href, event_count, created_at, updated_at, read_at,
  CASE WHEN archived_at >= read_at THEN archived_at END AS archived_at, actor_id, actor_name AS name_then, subject_title, detail FROM notifications
     WHERE (SELECT $3::text) IS DISTINCT FROM 'read' AND user_id = $1 AND read_at IS NULL AND kind = $4
       AND updated_at > now() - interval '90 days' AND (created_at, id) > ($5, $6)
     ORDER BY created_at ASC, id ASC LIMIT (SELECT $7::int))
    UNION ALL
    (SELECT id, kind, title, body, resource_type, resource_id, resource_href, event_count, created_at, updated_at, read_at,
  CASE WHEN archived_at >= read_at THEN archived_at END AS archived_at, actor_id, actor_name AS name_then, subject_title, detail FROM notifications
     WHERE (SELECT $3::text) IS DISTINCT FROM 'unread' AND user_id = $1 AND read_at IS NOT NULL
       AND (archived_at >= read_at) IS NOT TRUE AND kind = $4
       AND updated_at > now() - interval '90 days' AND (created_at, id) > ($5, $6)
     ORDER BY created_at ASC, id ASC LIMIT (SELECT $7::int))) AS listed
  ORDER BY created_at ASC, id ASC LIMIT (SELECT $7::int)) AS page ON true
ORDER BY page.created_at ASC, page.id ASC`,
    desc: `SELECT state.*, page.*, (SELECT display_name FROM people WHERE people.id = page.actor_id) AS actor_name
FROM (SELECT pg_current_snapshot()::text AS "snapshot!", server_identity() AS "server!", (SELECT count(*) FROM (
        (SELECT 1 FROM notifications WHERE user_id = $1 AND read_at IS NULL AND created_at > now() - interval '90 days'
         ORDER BY created_at DESC LIMIT (SELECT $2::int))
        UNION ALL
        (SELECT 1 FROM notifications WHERE user_id = $1 AND read_at IS NULL AND created_at <= now() - interval '90 days'
           AND updated_at > now() - interval '90 days' ORDER BY created_at DESC LIMIT (SELECT $2::int))
        LIMIT (SELECT $2::int)) AS counted)::int AS "unread!",
    clock_timestamp() + interval '1 millisecond' AS "until!") AS state
LEFT JOIN (
  SELECT * FROM (
    (SELECT id, kind, title, body, resource_type, resource_id, resource_href, event_count, created_at, updated_at, read_at,
  CASE WHEN archived_at >= read_at THEN archived_at END AS archived_at, actor_id, actor_name AS name_then, subject_title, detail FROM notifications
     WHERE (SELECT $3::text) IS DISTINCT FROM 'read' AND user_id = $1 AND read_at IS NULL AND kind = $4
       AND updated_at > now() - interval '90 days' AND (created_at, id) < ($5, $6)
     ORDER BY created_at DESC, id DESC LIMIT (SELECT $7::int))
    UNION ALL
    (SELECT id, kind, title, body, resource_type, resource_id, resource_href, event_count, created_at, updated_at, read_at,
  CASE WHEN archived_at >= read_at THEN archived_at END AS archived_at, actor_id, actor_name AS name_then, subject_title, detail FROM notifications
     WHERE (SELECT $3::text) IS DISTINCT FROM 'unread' AND user_id = $1 AND read_at IS NOT NULL
       AND (archived_at >= read_at) IS NOT TRUE AND kind = $4
       AND updated_at > now() - interval '90 days' AND (created_at, id) < ($5, $6)
     ORDER BY created_at DESC, id DESC LIMIT (SELECT $7::int))) AS listed
  ORDER BY created_at DESC, id DESC LIMIT (SELECT $7::int)) AS page ON true
ORDER BY page.created_at DESC, page.id DESC`,
  },
  limit: 7,
  values: (it) => [it.userId, it.unreadMax, it.status, it.kind, it.createdAt, it.id, it.limit],
  columns: ["text", "text", "int4", "timestamptz", "uuid", "varchar", "varchar", "varchar", "varchar", "varchar", "varchar", "int4", "timestamptz", "timestamptz", "timestamptz", "timestamptz", "uuid", "varchar", "varchar", "jsonb", "varchar"],
  row: (it) => ({ snapshot: it[0], server: it[1], unread: it[2], until: it[3], id: it[4], kind: it[5], title: it[6], body: it[7], resourceType: it[8], resourceId: it[9], resourceHref: it[10], eventCount: it[11], createdAt: it[12], updatedAt: it[13], readAt: it[14], archivedAt: it[15], actorId: it[16], nameThen: it[17], subjectTitle: it[18], detail: it[19], actorName: it[20] }) as FindNotificationsOfKindRow,
});

export type FindArchivedParameters = {
  readonly userId: string;
  readonly unreadMax: number;
  readonly status: string | null;
  readonly createdAt: string;
  readonly id: string;
  readonly limit: number;
};
export type FindArchivedRow = {
  readonly snapshot: string;
  readonly server: string;
  readonly unread: number;
  readonly until: string;
  readonly id: string | null;
  readonly kind: string | null;
  readonly title: string | null;
  readonly body: string | null;
  readonly resourceType: string | null;
  readonly resourceId: string | null;
  readonly resourceHref: string | null;
  readonly eventCount: number | null;
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  readonly readAt: string | null;
  readonly archivedAt: string | null;
  readonly actorId: string | null;
  readonly nameThen: string | null;
  readonly subjectTitle: string | null;
  readonly detail: unknown | null;
  readonly actorName: string | null;
};
/** A page of archived notifications, which are all read, with its state. A statement of its own, so that the other lists have no third
 * part. IS TRUE hides from PostgreSQL that the rows are read, so that it can't choose the index of read notifications. */
export const findArchived = page<FindArchivedParameters, FindArchivedRow>({
  name: "find_archived",
  text: {
    asc: `SELECT state.*, page.*, (SELECT display_name FROM people WHERE people.id = page.actor_id) AS actor_name
FROM (SELECT pg_current_snapshot()::text AS "snapshot!", server_identity() AS "server!", (SELECT count(*) FROM (
        (SELECT 1 FROM notifications WHERE user_id = $1 AND read_at IS NULL AND created_at > now() - interval '90 days'
         ORDER BY created_at ASC LIMIT (SELECT $2::int))
        UNION ALL
        (SELECT 1 FROM notifications WHERE user_id = $1 AND read_at IS NULL AND created_at <= now() - interval '90 days'
           AND updated_at > now() - interval '90 days' ORDER BY created_at ASC LIMIT (SELECT $2::int))
        LIMIT (SELECT $2::int)) AS counted)::int AS "unread!",
    clock_timestamp() + interval '1 millisecond' AS "until!") AS state
LEFT JOIN (
  SELECT id, kind, title, body, resource_type, resource_id, resource_href, event_count, created_at, updated_at, read_at,
  CASE WHEN archived_at >= read_at THEN archived_at END AS archived_at, actor_id, actor_name AS name_then, subject_title, detail FROM notifications
  WHERE (SELECT $3::text) IS DISTINCT FROM 'unread' AND user_id = $1
    AND (archived_at >= read_at) IS TRUE
    AND updated_at > now() - interval '90 days' AND (created_at, id) > ($4, $5)
  ORDER BY created_at ASC, id ASC LIMIT (SELECT $6::int)) AS page ON true
ORDER BY page.created_at ASC, page.id ASC`,
    desc: `SELECT state.*, page.*, (SELECT display_name FROM people WHERE people.id = page.actor_id) AS actor_name
FROM (SELECT pg_current_snapshot()::text AS "snapshot!", server_identity() AS "server!", (SELECT count(*) FROM (
        (SELECT 1 FROM notifications WHERE user_id = $1 AND read_at IS NULL AND created_at > now() - interval '90 days'
         ORDER BY created_at DESC LIMIT (SELECT $2::int))
        UNION ALL
        (SELECT 1 FROM notifications WHERE user_id = $1 AND read_at IS NULL AND created_at <= now() - interval '90 days'
           AND updated_at > now() - interval '90 days' ORDER BY created_at DESC LIMIT (SELECT $2::int))
        LIMIT (SELECT $2::int)) AS counted)::int AS "unread!",
    clock_timestamp() + interval '1 millisecond' AS "until!") AS state
LEFT JOIN (
  SELECT id, kind, title, body, resource_type, resource_id, resource_href, event_count, created_at, updated_at, read_at,
  CASE WHEN archived_at >= read_at THEN archived_at END AS archived_at, actor_id, actor_name AS name_then, subject_title, detail FROM notifications
  WHERE (SELECT $3::text) IS DISTINCT FROM 'unread' AND user_id = $1
    AND (archived_at >= read_at) IS TRUE
    AND updated_at > now() - interval '90 days' AND (created_at, id) < ($4, $5)
  ORDER BY created_at DESC, id DESC LIMIT (SELECT $6::int)) AS page ON true
ORDER BY page.created_at DESC, page.id DESC`,
  },
  limit: 6,
  values: (it) => [it.userId, it.unreadMax, it.status, it.createdAt, it.id, it.limit],
  columns: ["text", "text", "int4", "timestamptz", "uuid", "varchar", "varchar", "varchar", "varchar", "varchar", "varchar", "int4", "timestamptz", "timestamptz", "timestamptz", "timestamptz", "uuid", "varchar", "varchar", "jsonb", "varchar"],
  row: (it) => ({ snapshot: it[0], server: it[1], unread: it[2], until: it[3], id: it[4], kind: it[5], title: it[6], body: it[7], resourceType: it[8], resourceId: it[9], resourceHref: it[10], eventCount: it[11], createdAt: it[12], updatedAt: it[13], readAt: it[14], archivedAt: it[15], actorId: it[16], nameThen: it[17], subjectTitle: it[18], detail: it[19], actorName: it[20] }) as FindArchivedRow,
});

export type FindArchivedOfKindParameters = {
  readonly userId: string;
  readonly unreadMax: number;
  readonly status: string | null;
  readonly kind: string;
  readonly createdAt: string;
  readonly id: string;
  readonly limit: number;
};
export type FindArchivedOfKindRow = {
  readonly snapshot: string;
  readonly server: string;
  readonly unread: number;
  readonly until: string;
  readonly id: string | null;
  readonly kind: string | null;
  readonly title: string | null;
  readonly body: string | null;
  readonly resourceType: string | null;
  readonly resourceId: string | null;
  readonly resourceHref: string | null;
  readonly eventCount: number | null;
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  readonly readAt: string | null;
  readonly archivedAt: string | null;
  readonly actorId: string | null;
  readonly nameThen: string | null;
  readonly subjectTitle: string | null;
  readonly detail: unknown | null;
  readonly actorName: string | null;
};
/** A page of archived notifications, which are all read, with its state. A statement of its own, so that the other lists have no third
 * part. IS TRUE hides from PostgreSQL that the rows are read, so that it can't choose the index of read notifications. */
export const findArchivedOfKind = page<FindArchivedOfKindParameters, FindArchivedOfKindRow>({
  name: "find_archived_of_kind",
  text: {
    asc: `SELECT state.*, page.*, (SELECT display_name FROM people WHERE people.id = page.actor_id) AS actor_name
FROM (SELECT pg_current_snapshot()::text AS "snapshot!", server_identity() AS "server!", (SELECT count(*) FROM (
        (SELECT 1 FROM notifications WHERE user_id = $1 AND read_at IS NULL AND created_at > now() - interval '90 days'
         ORDER BY created_at ASC LIMIT (SELECT $2::int))
        UNION ALL
        (SELECT 1 FROM notifications WHERE user_id = $1 AND read_at IS NULL AND created_at <= now() - interval '90 days'
           AND updated_at > now() - interval '90 days' ORDER BY created_at ASC LIMIT (SELECT $2::int))
        LIMIT (SELECT $2::int)) AS counted)::int AS "unread!",
    clock_timestamp() + interval '1 millisecond' AS "until!") AS state
LEFT JOIN (
  SELECT id, kind, title, body, resource_type, resource_id, resource_href, event_count, created_at, updated_at, read_at,
  CASE WHEN archived_at >= read_at THEN archived_at END AS archived_at, actor_id, actor_name AS name_then, subject_title, detail FROM notifications
  WHERE (SELECT $3::text) IS DISTINCT FROM 'unread' AND user_id = $1
    AND (archived_at >= read_at) IS TRUE AND kind = $4
    AND updated_at > now() - interval '90 days' AND (created_at, id) > ($5, $6)
  ORDER BY created_at ASC, id ASC LIMIT (SELECT $7::int)) AS page ON true
ORDER BY page.created_at ASC, page.id ASC`,
    desc: `SELECT state.*, page.*, (SELECT display_name FROM people WHERE people.id = page.actor_id) AS actor_name
FROM (SELECT pg_current_snapshot()::text AS "snapshot!", server_identity() AS "server!", (SELECT count(*) FROM (
        (SELECT 1 FROM notifications WHERE user_id = $1 AND read_at IS NULL AND created_at > now() - interval '90 days'
         ORDER BY created_at DESC LIMIT (SELECT $2::int))
        UNION ALL
        (SELECT 1 FROM notifications WHERE user_id = $1 AND read_at IS NULL AND created_at <= now() - interval '90 days'
           AND updated_at > now() - interval '90 days' ORDER BY created_at DESC LIMIT (SELECT $2::int))
        LIMIT (SELECT $2::int)) AS counted)::int AS "unread!",
    clock_timestamp() + interval '1 millisecond' AS "until!") AS state
LEFT JOIN (
  SELECT id, kind, title, body, resource_type, resource_id, resource_href, event_count, created_at, updated_at, read_at,
  CASE WHEN archived_at >= read_at THEN archived_at END AS archived_at, actor_id, actor_name AS name_then, subject_title, detail FROM notifications
  WHERE (SELECT $3::text) IS DISTINCT FROM 'unread' AND user_id = $1
    AND (archived_at >= read_at) IS TRUE AND kind = $4
    AND updated_at > now() - interval '90 days' AND (created_at, id) < ($5, $6)
  ORDER BY created_at DESC, id DESC LIMIT (SELECT $7::int)) AS page ON true
ORDER BY page.created_at DESC, page.id DESC`,
  },
  limit: 7,
  values: (it) => [it.userId, it.unreadMax, it.status, it.kind, it.createdAt, it.id, it.limit],
  columns: ["text", "text", "int4", "timestamptz", "uuid", "varchar", "varchar", "varchar", "varchar", "varchar", "varchar", "int4", "timestamptz", "timestamptz", "timestamptz", "timestamptz", "uuid", "varchar", "varchar", "jsonb", "varchar"],
  row: (it) => ({ snapshot: it[0], server: it[1], unread: it[2], until: it[3], id: it[4], kind: it[5], title: it[6], body: it[7], resourceType: it[8], resourceId: it[9], resourceHref: it[10], eventCount: it[11], createdAt: it[12], updatedAt: it[13], readAt: it[14], archivedAt: it[15], actorId: it[16], nameThen: it[17], subjectTitle: it[18], detail: it[19], actorName: it[20] }) as FindArchivedOfKindRow,
});

export type CountUnreadParameters = {
  readonly userId: string;
  readonly unreadMax: number;
};
export type CountUnreadRow = {
  readonly unread: number;
};
export const countUnread = exactlyOne<CountUnreadParameters, CountUnreadRow>({
  name: "count_unread",
  text: `SELECT (SELECT count(*) FROM (
        (SELECT 1 FROM notifications WHERE user_id = $1 AND read_at IS NULL AND created_at > now() - interval '90 days'
         ORDER BY created_at DESC LIMIT (SELECT $2::int))
        UNION ALL
        (SELECT 1 FROM notifications WHERE user_id = $1 AND read_at IS NULL AND created_at <= now() - interval '90 days'
           AND updated_at > now() - interval '90 days' ORDER BY created_at DESC LIMIT (SELECT $2::int))
        LIMIT (SELECT $2::int)) AS counted)::int AS "unread!"`,
  values: (it) => [it.userId, it.unreadMax],
  columns: ["int4"],
  row: (it) => ({ unread: it[0] }) as CountUnreadRow,
});

export type SetUnreadParameters = {
  readonly id: string;
  readonly userId: string;
};
export const setUnread = affectedRows<SetUnreadParameters>({
  name: "set_unread",
  text: `UPDATE notifications SET read_at = NULL, archived_at = NULL WHERE id = $1 AND user_id = $2`,
  values: (it) => [it.id, it.userId],
});

export type SetReadParameters = {
  readonly id: string;
  readonly userId: string;
};
/** A notification that is read keeps its `read_at`. */
export const setRead = affectedRows<SetReadParameters>({
  name: "set_read",
  text: `UPDATE notifications SET read_at = greatest(now(), updated_at), archived_at = NULL
WHERE id = $1 AND user_id = $2 AND read_at IS NULL`,
  values: (it) => [it.id, it.userId],
});

export type SetReadIfSeenParameters = {
  readonly id: string;
  readonly userId: string;
  readonly snapshot: string;
  readonly until: string;
  readonly untilHere: string;
};
/** A notification that is read keeps its `read_at`. */
export const setReadIfSeen = affectedRows<SetReadIfSeenParameters>({
  name: "set_read_if_seen",
  text: `UPDATE notifications SET read_at = greatest(now(), updated_at), archived_at = NULL
WHERE id = $1 AND user_id = $2 AND read_at IS NULL
  AND was_seen(created_at, updated_at, xact_id, $3, $4, $5)`,
  values: (it) => [it.id, it.userId, it.snapshot, it.until, it.untilHere],
});

export type SetArchivedParameters = {
  readonly id: string;
  readonly userId: string;
};
/** Archives a notification and marks it as read. An archived one keeps its times. `least` ignores a `read_at` that is null. */
export const setArchived = affectedRows<SetArchivedParameters>({
  name: "set_archived",
  text: `UPDATE notifications SET read_at = least(read_at, greatest(now(), updated_at)), archived_at = greatest(now(), updated_at, read_at)
WHERE id = $1 AND user_id = $2 AND (archived_at >= read_at) IS NOT TRUE`,
  values: (it) => [it.id, it.userId],
});

export type SetArchivedIfSeenParameters = {
  readonly id: string;
  readonly userId: string;
  readonly snapshot: string;
  readonly until: string;
  readonly untilHere: string;
};
/** Archives a notification and marks it as read. An archived one keeps its times. `least` ignores a `read_at` that is null. */
export const setArchivedIfSeen = affectedRows<SetArchivedIfSeenParameters>({
  name: "set_archived_if_seen",
  text: `UPDATE notifications SET read_at = least(read_at, greatest(now(), updated_at)), archived_at = greatest(now(), updated_at, read_at)
WHERE id = $1 AND user_id = $2 AND (archived_at >= read_at) IS NOT TRUE
  AND (read_at IS NOT NULL OR was_seen(created_at, updated_at, xact_id, $3, $4, $5))`,
  values: (it) => [it.id, it.userId, it.snapshot, it.until, it.untilHere],
});

export type TakeOutOfArchiveParameters = {
  readonly id: string;
  readonly userId: string;
};
export const takeOutOfArchive = affectedRows<TakeOutOfArchiveParameters>({
  name: "take_out_of_archive",
  text: `UPDATE notifications SET archived_at = NULL WHERE id = $1 AND user_id = $2 AND archived_at IS NOT NULL`,
  values: (it) => [it.id, it.userId],
});

export type FindUntilHereParameters = {
  readonly until: string;
  readonly server: string;
  readonly userId: string;
};
export type FindUntilHereRow = {
  readonly untilHere: string;
};
/** The time of a list on the server of the user's notifications. Another server has a minute less, because clocks differ and a commit takes
 * time. A statement of its own, because the planner knows nothing about the result of a subquery, and would read all notifications of the
 * user. LIMIT 0 names the node of the user, and reads nothing there. */
export const findUntilHere = exactlyOne<FindUntilHereParameters, FindUntilHereRow>({
  name: "find_until_here",
  text: `SELECT $1::timestamptz - CASE WHEN $2 = server_identity() THEN interval '0' ELSE interval '1 minute' END AS "until_here!"
FROM (SELECT 1) AS here LEFT JOIN (SELECT 1 FROM notifications WHERE user_id = $3 LIMIT 0) AS own ON true`,
  values: (it) => [it.until, it.server, it.userId],
  columns: ["timestamptz"],
  row: (it) => ({ untilHere: it[0] }) as FindUntilHereRow,
});

export type MarkSeenParameters = {
  readonly archived: boolean;
  readonly userId: string;
  readonly snapshot: string;
  readonly until: string;
  readonly untilHere: string;
  readonly most: number;
};
/** Marks at most one batch of seen notifications as read, oldest first, and archives them if `archived` is true. It skips locked rows,
 * where a transaction counts another event that the user has not seen. ARRAY finds the batch once in any plan. */
export const markSeen = affectedRows<MarkSeenParameters>({
  name: "mark_seen",
  text: `UPDATE notifications SET read_at = greatest(now(), updated_at), archived_at = CASE WHEN $1 THEN greatest(now(), updated_at) END
WHERE user_id = $2 AND id = ANY (ARRAY(
  SELECT id FROM notifications WHERE user_id = $2 AND read_at IS NULL
    AND updated_at > now() - interval '90 days' AND was_seen(created_at, updated_at, xact_id, $3, $4, $5)
  ORDER BY created_at, id LIMIT $6 FOR UPDATE SKIP LOCKED))`,
  values: (it) => [it.archived, it.userId, it.snapshot, it.until, it.untilHere, it.most],
});

export type MarkSeenOfSubjectParameters = {
  readonly archived: boolean;
  readonly userId: string;
  readonly subjectId: string;
  readonly snapshot: string;
  readonly until: string;
  readonly untilHere: string;
  readonly most: number;
};
/** Marks at most one batch of seen notifications as read, oldest first, and archives them if `archived` is true. It skips locked rows,
 * where a transaction counts another event that the user has not seen. ARRAY finds the batch once in any plan. */
export const markSeenOfSubject = affectedRows<MarkSeenOfSubjectParameters>({
  name: "mark_seen_of_subject",
  text: `UPDATE notifications SET read_at = greatest(now(), updated_at), archived_at = CASE WHEN $1 THEN greatest(now(), updated_at) END
WHERE user_id = $2 AND id = ANY (ARRAY(
  SELECT id FROM notifications WHERE user_id = $2 AND subject_id = $3 AND read_at IS NULL
    AND updated_at > now() - interval '90 days' AND was_seen(created_at, updated_at, xact_id, $4, $5, $6)
  ORDER BY created_at, id LIMIT $7 FOR UPDATE SKIP LOCKED))`,
  values: (it) => [it.archived, it.userId, it.subjectId, it.snapshot, it.until, it.untilHere, it.most],
});

export type ArchiveReadParameters = {
  readonly userId: string;
  readonly snapshot: string;
  readonly until: string;
  readonly untilHere: string;
  readonly most: number;
};
/** Archives at most one batch of seen notifications that are read. */
export const archiveRead = affectedRows<ArchiveReadParameters>({
  name: "archive_read",
  text: `UPDATE notifications SET archived_at = greatest(now(), updated_at, read_at) WHERE user_id = $1 AND id = ANY (ARRAY(
  SELECT id FROM notifications WHERE user_id = $1
    AND read_at IS NOT NULL AND (archived_at >= read_at) IS NOT TRUE
    AND updated_at > now() - interval '90 days' AND was_seen(created_at, updated_at, xact_id, $2, $3, $4)
  ORDER BY created_at, id LIMIT $5 FOR UPDATE SKIP LOCKED))`,
  values: (it) => [it.userId, it.snapshot, it.until, it.untilHere, it.most],
});

export type ArchiveReadOfSubjectParameters = {
  readonly userId: string;
  readonly subjectId: string;
  readonly snapshot: string;
  readonly until: string;
  readonly untilHere: string;
  readonly most: number;
};
/** Archives at most one batch of seen notifications that are read. */
export const archiveReadOfSubject = affectedRows<ArchiveReadOfSubjectParameters>({
  name: "archive_read_of_subject",
  text: `UPDATE notifications SET archived_at = greatest(now(), updated_at, read_at) WHERE user_id = $1 AND id = ANY (ARRAY(
  SELECT id FROM notifications WHERE user_id = $1 AND subject_id = $2
    AND read_at IS NOT NULL AND (archived_at >= read_at) IS NOT TRUE
    AND updated_at > now() - interval '90 days' AND was_seen(created_at, updated_at, xact_id, $3, $4, $5)
  ORDER BY created_at, id LIMIT $6 FOR UPDATE SKIP LOCKED))`,
  values: (it) => [it.userId, it.subjectId, it.snapshot, it.until, it.untilHere, it.most],
});

export type PurgeSomeParameters = {
  readonly most: number;
};
export type PurgeSomeRow = {
  readonly found: number;
  readonly removed: number;
};
/** Removes some expired notifications. An event does not change `purge_from`, so that a notification with later events is found too early.
 * Its `purge_from` then becomes the time of its newest event. Each change checks the row again, because an event can have changed it. */
export const purgeSome = exactlyOne<PurgeSomeParameters, PurgeSomeRow>({
  name: "purge_some",
  text: `WITH found AS MATERIALIZED (
  SELECT user_id, id FROM notifications
  WHERE (coalesce(purge_from, created_at) AT TIME ZONE 'UTC') <= (now() - interval '90 days') AT TIME ZONE 'UTC'
  ORDER BY (coalesce(purge_from, created_at) AT TIME ZONE 'UTC') LIMIT $1),
postponed AS (
  UPDATE notifications n SET purge_from = n.updated_at FROM found f
  WHERE n.user_id = f.user_id AND n.id = f.id AND n.updated_at > now() - interval '90 days' RETURNING 1),
removed AS (
  DELETE FROM notifications n USING found f
  WHERE n.user_id = f.user_id AND n.id = f.id AND n.updated_at <= now() - interval '90 days' RETURNING 1)
SELECT (SELECT count(*) FROM found)::int AS "found!", (SELECT count(*) FROM removed)::int AS "removed!"`,
  values: (it) => [it.most],
  columns: ["int4", "int4"],
  row: (it) => ({ found: it[0], removed: it[1] }) as PurgeSomeRow,
});

export type RemoveSomeParameters = {
  readonly subjectId: string;
  readonly batch: number;
};
/** Removes some of the notifications about a subject. */
export const removeSome = affectedRows<RemoveSomeParameters>({
  name: "remove_some",
  text: `DELETE FROM notifications WHERE (user_id, id) IN (
  SELECT user_id, id FROM notifications WHERE subject_id = $1 ORDER BY user_id LIMIT $2)`,
  values: (it) => [it.subjectId, it.batch],
});

export type EraseFromNotificationsParameters = {
  readonly deletedUserId: string;
  readonly text: string;
  readonly conversationId: string;
  readonly userId: string;
  readonly batch: number;
};
/** Removes the name and the text of a user from some of the notifications about a conversation. The previous release reads and writes
 * `title`. A notification of 1.0.0 can lack its actor; then the name is removed in any case. */
export const eraseFromNotifications = affectedRows<EraseFromNotificationsParameters>({
  name: "erase_from_notifications",
  text: `UPDATE notifications SET actor_id = CASE WHEN actor_id IS NOT NULL THEN $1::uuid END, actor_name = NULL,
  body = CASE WHEN body IS NOT NULL THEN $2 END,
  title = CASE WHEN actor_id IS NULL THEN 'You were added to a conversation' WHEN kind = 'message.created' THEN 'A deleted user wrote to you'
    ELSE 'A deleted user added you to a conversation' END
WHERE (user_id, id) IN (
  SELECT user_id, id FROM notifications WHERE subject_id = $3
    AND (actor_id = $4 OR actor_id IS NULL AND kind = 'conversation.member_added' AND title NOT LIKE 'You were added to %')
  LIMIT $5)`,
  values: (it) => [it.deletedUserId, it.text, it.conversationId, it.userId, it.batch],
});
