-- An expired notification does not exist for clients, even if it is not purged yet: the contract keeps it for 90 days after its newest
-- event.

-- name: findNotification :one
-- In SQL so that all reads of notifications have the same row.
SELECT id, kind, title, body, resource_type, resource_id, resource_href, event_count, created_at, updated_at, read_at
FROM notifications WHERE user_id = :user_id AND id = :id AND updated_at > now() - interval '90 days';

-- name: findNotifications, findNotificationsOfKind :page
-- A page, the snapshot that it was read in, a time that no event until now is after (times of events are rounded to milliseconds),
-- and the number of unread notifications. An empty page is one row whose `id` is null. Each status has its own index, whose scan
-- starts at the position; that of the other status is not begun. A kind has its own. In SQL because one statement must read all of it.
SELECT now.*, page.* FROM (
  SELECT pg_current_snapshot()::text AS "snapshot!", server_identity() AS "server!", count_unread(:user_id, :unread_max) AS "unread!",
    clock_timestamp() + interval '1 millisecond' AS "until!") AS now
LEFT JOIN (
  SELECT * FROM (
    (SELECT id, kind, title, body, resource_type, resource_id, resource_href, event_count, created_at, updated_at, read_at FROM notifications
     WHERE (SELECT :status?::text) IS DISTINCT FROM 'read' AND user_id = :user_id AND read_at IS NULL[[ AND kind = :kind]]
       AND updated_at > now() - interval '90 days' AND (created_at, id) < (:created_at, :id)
     ORDER BY created_at DESC, id DESC LIMIT (SELECT :limit::int))
    UNION ALL
    (SELECT id, kind, title, body, resource_type, resource_id, resource_href, event_count, created_at, updated_at, read_at FROM notifications
     WHERE (SELECT :status?::text) IS DISTINCT FROM 'unread' AND user_id = :user_id AND read_at IS NOT NULL[[ AND kind = :kind]]
       AND updated_at > now() - interval '90 days' AND (created_at, id) < (:created_at, :id)
     ORDER BY created_at DESC, id DESC LIMIT (SELECT :limit::int))) AS listed
  ORDER BY created_at DESC, id DESC LIMIT (SELECT :limit::int)) AS page ON true
ORDER BY page.created_at DESC, page.id DESC;

-- name: countUnread :one!
SELECT count_unread(:user_id, :unread_max) AS "unread!";

-- name: setUnread :execrows
UPDATE notifications SET read_at = NULL WHERE id = :id AND user_id = :user_id;

-- name: setRead :execrows
-- A notification that is read keeps its `read_at`.
UPDATE notifications SET read_at = greatest(now(), updated_at) WHERE id = :id AND user_id = :user_id AND read_at IS NULL;

-- name: findUntilHere :one!
-- The time of a list on this server: it counts a minute less on another one, because clocks of servers differ, and because an event
-- takes time until its transaction is committed. A statement of its own, because the planner knows nothing about the result of a
-- subquery, and would read all notifications of the user.
SELECT :until::timestamptz - CASE WHEN :server = server_identity() THEN interval '0' ELSE interval '1 minute' END AS "until_here!";

-- name: setReadIfSeen :execrows
UPDATE notifications SET read_at = greatest(now(), updated_at) WHERE id = :id AND user_id = :user_id AND read_at IS NULL
  AND was_seen(created_at, updated_at, xact_id, :snapshot, :until, :until_here);

-- name: markSeen, markSeenOfSubject :execrows
-- Marks at most one batch of seen notifications as read, oldest first. It skips locked rows: a transaction is counting another event
-- there, which the user has not seen.
UPDATE notifications SET read_at = greatest(now(), updated_at) WHERE id IN (
  SELECT id FROM notifications WHERE user_id = :user_id[[ AND subject_id = :subject_id]] AND read_at IS NULL
    AND updated_at > now() - interval '90 days' AND was_seen(created_at, updated_at, xact_id, :snapshot, :until, :until_here)
  ORDER BY created_at, id LIMIT :most FOR UPDATE SKIP LOCKED);

-- name: purgeSome :one!
-- Removes some expired notifications. An event does not change `purge_from`, so a notification that has counted further events is
-- found too early. It is then put off by as much, and read again when it can have expired.
WITH found AS MATERIALIZED (
  SELECT id, updated_at FROM notifications
  WHERE (coalesce(purge_from, created_at) AT TIME ZONE 'UTC') <= (now() - interval '90 days') AT TIME ZONE 'UTC'
  ORDER BY (coalesce(purge_from, created_at) AT TIME ZONE 'UTC') LIMIT :most FOR UPDATE SKIP LOCKED),
put_off AS (
  UPDATE notifications n SET purge_from = n.updated_at FROM found f
  WHERE n.id = f.id AND f.updated_at > now() - interval '90 days'),
removed AS (
  DELETE FROM notifications n USING found f WHERE n.id = f.id AND f.updated_at <= now() - interval '90 days' RETURNING 1)
SELECT (SELECT count(*) FROM found)::int AS "found!", (SELECT count(*) FROM removed)::int AS "removed!";

-- name: removeSome :execrows
-- Removes some of the notifications about a subject.
DELETE FROM notifications WHERE id IN (
  SELECT id FROM notifications WHERE subject_id = :subject_id ORDER BY user_id LIMIT :batch FOR UPDATE);

-- name: eraseFromNotifications :execrows
-- Removes the name and the words of a user from some of the notifications about a conversation. One that a process of 1.0.0 has
-- written can have another actor or none, so its message or its title tells, too, unless it is the title of an actor of the same name.
UPDATE notifications SET actor_id = :nobody, body = CASE WHEN body IS NOT NULL THEN :text END,
  title = CASE WHEN starts_with(title, :name::text || CASE kind WHEN 'message.created' THEN ' wrote ' ELSE ' added you to ' END)
    THEN left(:name_of_nobody::text || substr(title, length(:name) + 1), 200)
    ELSE :name_of_nobody || CASE kind WHEN 'message.created' THEN ' wrote to you' ELSE ' added you to a conversation' END END
WHERE id IN (
  SELECT n.id FROM notifications n WHERE n.subject_id = :conversation_id AND (
    n.actor_id = :user_id OR n.body <> :text AND EXISTS (
      SELECT FROM messages m
      WHERE m.id = CASE n.kind WHEN 'message.created' THEN n.resource_id::uuid END AND m.sender_id = :user_id)
    OR n.kind = 'conversation.member_added' AND starts_with(n.title, :name || ' added you to ') AND NOT EXISTS (
      SELECT FROM users u WHERE u.id = n.actor_id AND starts_with(n.title, u.display_name || ' ')))
  LIMIT :batch);
