-- A notification expires 90 days after its newest event. It then no longer exists for clients, even before the purge. It is archived if
-- `archived_at` is not before `read_at`; the indexes of the lists have the same condition.

-- part: notification
id, kind, title, body, resource_type, resource_id, resource_href, event_count, created_at, updated_at, read_at,
  CASE WHEN archived_at >= read_at THEN archived_at END AS archived_at, actor_id, actor_name AS name_then, subject_title, detail

-- part: retention_start
now() - interval '90 days'

-- part: unread
-- The number of unread notifications, but at most :unread_max. Nearly all of them began in the retention period, and an index alone has
-- their number. It reads the others only if there are fewer than the maximum.
(SELECT count(*) FROM (
        (SELECT 1 FROM notifications WHERE user_id = :user_id AND read_at IS NULL AND created_at > {{retention_start}}
         ORDER BY created_at DESC LIMIT (SELECT :unread_max::int))
        UNION ALL
        (SELECT 1 FROM notifications WHERE user_id = :user_id AND read_at IS NULL AND created_at <= {{retention_start}}
           AND updated_at > {{retention_start}} ORDER BY created_at DESC LIMIT (SELECT :unread_max::int))
        LIMIT (SELECT :unread_max::int)) AS counted)::int AS "unread!"

-- part: state
-- The snapshot that a page is read in, and a time that no event until now is after: times of events are rounded to milliseconds.
SELECT pg_current_snapshot()::text AS "snapshot!", server_identity() AS "server!", {{unread}},
    clock_timestamp() + interval '1 millisecond' AS "until!"

-- name: findNotification, lockNotification :one
-- A notification. The second statement locks it until the transaction ends. In SQL so that all reads of notifications have the same row.
SELECT {{notification}}, (SELECT display_name FROM people WHERE people.id = actor_id) AS actor_name
FROM notifications WHERE user_id = :user_id AND id = :id AND updated_at > {{retention_start}}[[ FOR UPDATE]];

-- name: findNotifications, findNotificationsOfKind :page
-- A page with its state. An empty page is one row whose `id` is null. Each status has its own index, whose scan starts at the position;
-- the scan of the other status does not begin. A kind has its own index. In SQL because one statement must read all of it.
SELECT state.*, page.*, (SELECT display_name FROM people WHERE people.id = page.actor_id) AS actor_name
FROM ({{state}}) AS state
LEFT JOIN (
  SELECT * FROM (
    (SELECT {{notification}} FROM notifications
     WHERE (SELECT :status?::text) IS DISTINCT FROM 'read' AND user_id = :user_id AND read_at IS NULL[[ AND kind = :kind]]
       AND updated_at > {{retention_start}} AND (created_at, id) < (:created_at, :id)
     ORDER BY created_at DESC, id DESC LIMIT (SELECT :limit::int))
    UNION ALL
    (SELECT {{notification}} FROM notifications
     WHERE (SELECT :status?::text) IS DISTINCT FROM 'unread' AND user_id = :user_id AND read_at IS NOT NULL
       AND (archived_at >= read_at) IS NOT TRUE[[ AND kind = :kind]]
       AND updated_at > {{retention_start}} AND (created_at, id) < (:created_at, :id)
     ORDER BY created_at DESC, id DESC LIMIT (SELECT :limit::int))) AS listed
  ORDER BY created_at DESC, id DESC LIMIT (SELECT :limit::int)) AS page ON true
ORDER BY page.created_at DESC, page.id DESC;

-- name: findArchived, findArchivedOfKind :page
-- A page of archived notifications, which are all read, with its state. A statement of its own, so that the other lists have no third
-- part. IS TRUE hides from PostgreSQL that the rows are read, so that it can't choose the index of read notifications.
SELECT state.*, page.*, (SELECT display_name FROM people WHERE people.id = page.actor_id) AS actor_name
FROM ({{state}}) AS state
LEFT JOIN (
  SELECT {{notification}} FROM notifications
  WHERE (SELECT :status?::text) IS DISTINCT FROM 'unread' AND user_id = :user_id
    AND (archived_at >= read_at) IS TRUE[[ AND kind = :kind]]
    AND updated_at > {{retention_start}} AND (created_at, id) < (:created_at, :id)
  ORDER BY created_at DESC, id DESC LIMIT (SELECT :limit::int)) AS page ON true
ORDER BY page.created_at DESC, page.id DESC;

-- name: countUnread :one!
SELECT {{unread}};

-- name: setUnread :execrows
UPDATE notifications SET read_at = NULL, archived_at = NULL WHERE id = :id AND user_id = :user_id;

-- name: setRead, setReadIfSeen :execrows
-- A notification that is read keeps its `read_at`.
UPDATE notifications SET read_at = greatest(now(), updated_at), archived_at = NULL
WHERE id = :id AND user_id = :user_id AND read_at IS NULL[[
  AND was_seen(created_at, updated_at, xact_id, :snapshot, :until, :until_here)]];

-- name: setArchived, setArchivedIfSeen :execrows
-- Archives a notification and marks it as read. An archived one keeps its times. `least` ignores a `read_at` that is null.
UPDATE notifications SET read_at = least(read_at, greatest(now(), updated_at)), archived_at = greatest(now(), updated_at, read_at)
WHERE id = :id AND user_id = :user_id AND (archived_at >= read_at) IS NOT TRUE[[
  AND (read_at IS NOT NULL OR was_seen(created_at, updated_at, xact_id, :snapshot, :until, :until_here))]];

-- name: takeOutOfArchive :execrows
UPDATE notifications SET archived_at = NULL WHERE id = :id AND user_id = :user_id AND archived_at IS NOT NULL;

-- name: findUntilHere :one!
-- The time of a list on the server of the user's notifications. Another server has a minute less, because clocks differ and a commit takes
-- time. A statement of its own, because the planner knows nothing about the result of a subquery, and would read all notifications of the
-- user. LIMIT 0 names the node of the user, and reads nothing there.
SELECT :until::timestamptz - CASE WHEN :server = server_identity() THEN interval '0' ELSE interval '1 minute' END AS "until_here!"
FROM (SELECT 1) AS here LEFT JOIN (SELECT 1 FROM notifications WHERE user_id = :user_id LIMIT 0) AS own ON true;

-- name: markSeen, markSeenOfSubject :execrows
-- Marks at most one batch of seen notifications as read, oldest first, and archives them if `archived` is true. It skips locked rows,
-- where a transaction counts another event that the user has not seen. ARRAY finds the batch once in any plan.
UPDATE notifications SET read_at = greatest(now(), updated_at), archived_at = CASE WHEN :archived THEN greatest(now(), updated_at) END
WHERE user_id = :user_id AND id = ANY (ARRAY(
  SELECT id FROM notifications WHERE user_id = :user_id[[ AND subject_id = :subject_id]] AND read_at IS NULL
    AND updated_at > {{retention_start}} AND was_seen(created_at, updated_at, xact_id, :snapshot, :until, :until_here)
  ORDER BY created_at, id LIMIT :most FOR UPDATE SKIP LOCKED));

-- name: archiveRead, archiveReadOfSubject :execrows
-- Archives at most one batch of seen notifications that are read.
UPDATE notifications SET archived_at = greatest(now(), updated_at, read_at) WHERE user_id = :user_id AND id = ANY (ARRAY(
  SELECT id FROM notifications WHERE user_id = :user_id[[ AND subject_id = :subject_id]]
    AND read_at IS NOT NULL AND (archived_at >= read_at) IS NOT TRUE
    AND updated_at > {{retention_start}} AND was_seen(created_at, updated_at, xact_id, :snapshot, :until, :until_here)
  ORDER BY created_at, id LIMIT :most FOR UPDATE SKIP LOCKED));

-- name: purgeSome :one!
-- Removes some expired notifications. An event does not change `purge_from`, so that a notification with later events is found too early.
-- Its `purge_from` then becomes the time of its newest event. Each change checks the row again, because an event can have changed it.
WITH found AS MATERIALIZED (
  SELECT user_id, id FROM notifications
  WHERE (coalesce(purge_from, created_at) AT TIME ZONE 'UTC') <= ({{retention_start}}) AT TIME ZONE 'UTC'
  ORDER BY (coalesce(purge_from, created_at) AT TIME ZONE 'UTC') LIMIT :most),
postponed AS (
  UPDATE notifications n SET purge_from = n.updated_at FROM found f
  WHERE n.user_id = f.user_id AND n.id = f.id AND n.updated_at > {{retention_start}} RETURNING 1),
removed AS (
  DELETE FROM notifications n USING found f
  WHERE n.user_id = f.user_id AND n.id = f.id AND n.updated_at <= {{retention_start}} RETURNING 1)
SELECT (SELECT count(*) FROM found)::int AS "found!", (SELECT count(*) FROM removed)::int AS "removed!";

-- name: removeSome :execrows
-- Removes some of the notifications about a subject.
DELETE FROM notifications WHERE (user_id, id) IN (
  SELECT user_id, id FROM notifications WHERE subject_id = :subject_id ORDER BY user_id LIMIT :batch);

-- name: eraseFromNotifications :execrows
-- Removes the name and the text of a user from some of the notifications about a conversation. The previous release reads and writes
-- `title`. A notification of 1.0.0 can lack its actor; then the name is removed in any case.
UPDATE notifications SET actor_id = CASE WHEN actor_id IS NOT NULL THEN :deleted_user_id::uuid END, actor_name = NULL,
  body = CASE WHEN body IS NOT NULL THEN :text END,
  title = CASE WHEN actor_id IS NULL THEN 'You were added to a conversation' WHEN kind = 'message.created' THEN 'A deleted user wrote to you'
    ELSE 'A deleted user added you to a conversation' END
WHERE (user_id, id) IN (
  SELECT user_id, id FROM notifications WHERE subject_id = :conversation_id
    AND (actor_id = :user_id OR actor_id IS NULL AND kind = 'conversation.member_added' AND title NOT LIKE 'You were added to %')
  LIMIT :batch);
