-- An expired notification does not exist for clients, even if it is not purged yet: the contract keeps it for 90 days after its newest
-- event. It is archived if `archived_at` is not before `read_at`, as the indexes of the lists say, too.

-- name: findNotification :one
-- In SQL so that all reads of notifications have the same row.
SELECT id, kind, title, body, resource_type, resource_id, resource_href, event_count, created_at, updated_at, read_at,
  CASE WHEN archived_at >= read_at THEN archived_at END AS archived_at, actor_id,
  actor_name AS name_then, subject_title, detail, (SELECT display_name FROM people WHERE people.id = actor_id) AS actor_name
FROM notifications WHERE user_id = :user_id AND id = :id AND updated_at > now() - interval '90 days';

-- name: findNotifications, findNotificationsOfKind :page
-- A page, the snapshot that it was read in, a time that no event until now is after (times of events are rounded to milliseconds),
-- and the number of unread notifications. An empty page is one row whose `id` is null. Each status has its own index, whose scan
-- starts at the position; that of the other status is not begun. A kind has its own. In SQL because one statement must read all of it.
SELECT now.*, page.*, (SELECT display_name FROM people WHERE people.id = page.actor_id) AS actor_name FROM (
  SELECT pg_current_snapshot()::text AS "snapshot!", server_identity() AS "server!", (
      SELECT count(*) FROM (
        (SELECT 1 FROM notifications WHERE user_id = :user_id AND read_at IS NULL AND created_at > now() - interval '90 days'
         ORDER BY created_at DESC LIMIT (SELECT :unread_max::int))
        UNION ALL
        (SELECT 1 FROM notifications WHERE user_id = :user_id AND read_at IS NULL AND created_at <= now() - interval '90 days'
           AND updated_at > now() - interval '90 days' ORDER BY created_at DESC LIMIT (SELECT :unread_max::int))
        LIMIT (SELECT :unread_max::int)) AS counted)::int AS "unread!",
    clock_timestamp() + interval '1 millisecond' AS "until!") AS now
LEFT JOIN (
  SELECT * FROM (
    (SELECT id, kind, title, body, resource_type, resource_id, resource_href, event_count, created_at, updated_at, read_at,
       NULL::timestamptz AS archived_at, actor_id, actor_name AS name_then, subject_title, detail FROM notifications
     WHERE (SELECT :status?::text) IS DISTINCT FROM 'read' AND user_id = :user_id AND read_at IS NULL[[ AND kind = :kind]]
       AND updated_at > now() - interval '90 days' AND (created_at, id) < (:created_at, :id)
     ORDER BY created_at DESC, id DESC LIMIT (SELECT :limit::int))
    UNION ALL
    (SELECT id, kind, title, body, resource_type, resource_id, resource_href, event_count, created_at, updated_at, read_at,
       NULL, actor_id, actor_name, subject_title, detail FROM notifications
     WHERE (SELECT :status?::text) IS DISTINCT FROM 'unread' AND user_id = :user_id AND read_at IS NOT NULL
       AND (archived_at >= read_at) IS NOT TRUE[[ AND kind = :kind]]
       AND updated_at > now() - interval '90 days' AND (created_at, id) < (:created_at, :id)
     ORDER BY created_at DESC, id DESC LIMIT (SELECT :limit::int))) AS listed
  ORDER BY created_at DESC, id DESC LIMIT (SELECT :limit::int)) AS page ON true
ORDER BY page.created_at DESC, page.id DESC;

-- name: findArchived, findArchivedOfKind :page
-- The same of archived notifications, which are all read. A statement of its own, so that the other lists have no third part. With IS
-- TRUE, PostgreSQL doesn't know that they are read, so it can't choose the index of all that is read.
SELECT now.*, page.*, (SELECT display_name FROM people WHERE people.id = page.actor_id) AS actor_name FROM (
  SELECT pg_current_snapshot()::text AS "snapshot!", server_identity() AS "server!", (
      SELECT count(*) FROM (
        (SELECT 1 FROM notifications WHERE user_id = :user_id AND read_at IS NULL AND created_at > now() - interval '90 days'
         ORDER BY created_at DESC LIMIT (SELECT :unread_max::int))
        UNION ALL
        (SELECT 1 FROM notifications WHERE user_id = :user_id AND read_at IS NULL AND created_at <= now() - interval '90 days'
           AND updated_at > now() - interval '90 days' ORDER BY created_at DESC LIMIT (SELECT :unread_max::int))
        LIMIT (SELECT :unread_max::int)) AS counted)::int AS "unread!",
    clock_timestamp() + interval '1 millisecond' AS "until!") AS now
LEFT JOIN (
  SELECT id, kind, title, body, resource_type, resource_id, resource_href, event_count, created_at, updated_at, read_at,
    archived_at, actor_id, actor_name AS name_then, subject_title, detail FROM notifications
  WHERE (SELECT :status?::text) IS DISTINCT FROM 'unread' AND user_id = :user_id
    AND (archived_at >= read_at) IS TRUE[[ AND kind = :kind]]
    AND updated_at > now() - interval '90 days' AND (created_at, id) < (:created_at, :id)
  ORDER BY created_at DESC, id DESC LIMIT (SELECT :limit::int)) AS page ON true
ORDER BY page.created_at DESC, page.id DESC;

-- name: countUnread :one!
SELECT count_unread(:user_id, :unread_max) AS "unread!";

-- name: setUnread :execrows
UPDATE notifications SET read_at = NULL, archived_at = NULL WHERE id = :id AND user_id = :user_id;

-- name: setRead, setReadIfSeen :execrows
-- A notification that is read keeps its `read_at`.
UPDATE notifications SET read_at = greatest(now(), updated_at), archived_at = NULL
WHERE id = :id AND user_id = :user_id AND read_at IS NULL[[
  AND was_seen(created_at, updated_at, xact_id, :snapshot, :until, :until_here)]];

-- name: setArchived, setArchivedIfSeen :execrows
-- Marks as read what is archived. A notification that is archived keeps its times. `least` passes over a `read_at` that is null.
UPDATE notifications SET read_at = least(read_at, greatest(now(), updated_at)), archived_at = greatest(now(), updated_at, read_at)
WHERE id = :id AND user_id = :user_id AND (archived_at >= read_at) IS NOT TRUE[[
  AND (read_at IS NOT NULL OR was_seen(created_at, updated_at, xact_id, :snapshot, :until, :until_here))]];

-- name: takeOutOfArchive :execrows
UPDATE notifications SET archived_at = NULL WHERE id = :id AND user_id = :user_id AND archived_at IS NOT NULL;

-- name: findUntilHere :one!
-- The time of a list on the server of the user's notifications: it counts a minute less on another one, because clocks of servers
-- differ, and because an event takes time until its transaction is committed. A statement of its own, because the planner knows nothing
-- about the result of a subquery, and would read all notifications of the user. LIMIT 0 names the user's node, and reads nothing there.
SELECT :until::timestamptz - CASE WHEN :server = server_identity() THEN interval '0' ELSE interval '1 minute' END AS "until_here!"
FROM (SELECT 1) AS here LEFT JOIN (SELECT 1 FROM notifications WHERE user_id = :user_id LIMIT 0) AS own ON true;

-- name: markSeen, markSeenOfSubject :execrows
-- Marks at most one batch of seen notifications as read, oldest first, and archives them, too, if `archived` is true. It skips locked
-- rows: a transaction is counting another event there, which the user has not seen. ARRAY finds the batch once, whatever the plan.
UPDATE notifications SET read_at = greatest(now(), updated_at), archived_at = CASE WHEN :archived THEN greatest(now(), updated_at) END
WHERE user_id = :user_id AND id = ANY (ARRAY(
  SELECT id FROM notifications WHERE user_id = :user_id[[ AND subject_id = :subject_id]] AND read_at IS NULL
    AND updated_at > now() - interval '90 days' AND was_seen(created_at, updated_at, xact_id, :snapshot, :until, :until_here)
  ORDER BY created_at, id LIMIT :most FOR UPDATE SKIP LOCKED));

-- name: archiveRead, archiveReadOfSubject :execrows
-- Archives at most one batch of seen notifications that are read.
UPDATE notifications SET archived_at = greatest(now(), updated_at, read_at) WHERE user_id = :user_id AND id = ANY (ARRAY(
  SELECT id FROM notifications WHERE user_id = :user_id[[ AND subject_id = :subject_id]]
    AND read_at IS NOT NULL AND (archived_at >= read_at) IS NOT TRUE
    AND updated_at > now() - interval '90 days' AND was_seen(created_at, updated_at, xact_id, :snapshot, :until, :until_here)
  ORDER BY created_at, id LIMIT :most FOR UPDATE SKIP LOCKED));

-- name: purgeSome :one!
-- Removes some expired notifications. An event does not change `purge_from`, so a notification that has counted further events is
-- found too early. It is then put off by as much, and read again when it can have expired. Each change looks at the row again, because
-- an event can have changed it meanwhile.
WITH found AS MATERIALIZED (
  SELECT user_id, id FROM notifications
  WHERE (coalesce(purge_from, created_at) AT TIME ZONE 'UTC') <= (now() - interval '90 days') AT TIME ZONE 'UTC'
  ORDER BY (coalesce(purge_from, created_at) AT TIME ZONE 'UTC') LIMIT :most),
put_off AS (
  UPDATE notifications n SET purge_from = n.updated_at FROM found f
  WHERE n.user_id = f.user_id AND n.id = f.id AND n.updated_at > now() - interval '90 days' RETURNING 1),
removed AS (
  DELETE FROM notifications n USING found f
  WHERE n.user_id = f.user_id AND n.id = f.id AND n.updated_at <= now() - interval '90 days' RETURNING 1)
SELECT (SELECT count(*) FROM found)::int AS "found!", (SELECT count(*) FROM removed)::int AS "removed!";

-- name: removeSome :execrows
-- Removes some of the notifications about a subject.
DELETE FROM notifications WHERE (user_id, id) IN (
  SELECT user_id, id FROM notifications WHERE subject_id = :subject_id ORDER BY user_id LIMIT :batch);

-- name: eraseFromNotifications :execrows
-- Removes the name and the words of a user from some of the notifications about a conversation. `title` is that of the previous release,
-- and of notifications that it has written. One of 1.0.0 can lack its actor: then it loses the name whoever it was.
UPDATE notifications SET actor_id = CASE WHEN actor_id IS NOT NULL THEN :nobody::uuid END, actor_name = NULL,
  body = CASE WHEN body IS NOT NULL THEN :text END,
  title = CASE WHEN actor_id IS NULL THEN 'You were added to a conversation' WHEN kind = 'message.created' THEN 'A deleted user wrote to you'
    ELSE 'A deleted user added you to a conversation' END
WHERE (user_id, id) IN (
  SELECT user_id, id FROM notifications WHERE subject_id = :conversation_id
    AND (actor_id = :user_id OR actor_id IS NULL AND kind = 'conversation.member_added' AND title NOT LIKE 'You were added to %')
  LIMIT :batch);
