-- name: markUserDeleted :execrows
-- Marks a user as deleted, if there is one. From now on, the user doesn't exist for any request.
UPDATE users SET deleted_at = coalesce(deleted_at, now()) WHERE id = :user_id AND id <> :nobody;

-- name: findDeletedUser :one
SELECT id, display_name, extract(epoch FROM now() - deleted_at)::float8 AS "seconds!" FROM users
WHERE id = :user_id AND deleted_at IS NOT NULL;

-- name: findOverdueUsers :many
-- Deleted users whose data should have been removed by now, at most one batch.
SELECT id FROM users WHERE deleted_at < now() - interval '1 day' AND id <> :nobody ORDER BY deleted_at LIMIT 100;

-- name: insertNobody :execrows
INSERT INTO users (id, display_name, deleted_at) VALUES (:nobody, :name, now()) ON CONFLICT DO NOTHING;

-- name: findConversationsOf :many
-- Some of the conversations that a user is or was a member of.
(SELECT conversation_id AS "id!" FROM members WHERE user_id = :user_id LIMIT :batch)
UNION SELECT conversation_id FROM former_members WHERE user_id = :user_id LIMIT :batch;

-- name: eraseMessages :execrows
-- Removes the author, the text and the key of some messages. Their sequences must have no gaps.
UPDATE messages SET sender_id = :nobody, body = :text, idempotency_key = id::text
WHERE (conversation_id, sequence) IN (SELECT conversation_id, sequence FROM messages WHERE sender_id = :user_id LIMIT :batch);

-- name: eraseFromNotifications :execrows
-- Removes the name and the words of a user from some of the notifications about a conversation. One that a process of 1.0.0 has
-- written can have another actor or none, so its message tells, too.
UPDATE notifications SET actor_id = :nobody, body = CASE WHEN body IS NOT NULL THEN :text END,
  title = CASE WHEN starts_with(title, :name::text || ' ')
    THEN left(:name_of_nobody::text || substr(title, length(:name) + 1), 200)
    ELSE :name_of_nobody || CASE kind WHEN 'message.created' THEN ' wrote to you' ELSE ' added you to a conversation' END END
WHERE id IN (
  SELECT n.id FROM notifications n WHERE n.subject_id = :conversation_id AND (
    n.actor_id = :user_id OR n.body <> :text AND EXISTS (
      SELECT FROM messages m
      WHERE m.id = CASE n.kind WHEN 'message.created' THEN n.resource_id::uuid END AND m.sender_id = :user_id))
  LIMIT :batch);

-- name: eraseUrls :execrows
-- Removes what belongs to some short URLs except their codes, which are never used again.
UPDATE short_urls SET owner_id = :nobody, target_url = '', click_count = 0, last_clicked_at = NULL, expires_at = NULL,
  deleted_at = coalesce(deleted_at, now()), created_at = '2000-01-01Z'
WHERE id IN (SELECT id FROM short_urls WHERE owner_id = :user_id LIMIT :batch);

-- name: eraseCreator :execrows
-- Gives conversations that others are still in another creator.
UPDATE conversations SET created_by = :nobody
WHERE id IN (SELECT id FROM conversations WHERE created_by = :user_id LIMIT :batch);

-- name: removePostsOf :execrows
DELETE FROM posts WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM posts WHERE author_id = :user_id ORDER BY created_at LIMIT :batch FOR UPDATE SKIP LOCKED));

-- name: removeNotificationsOf :execrows
DELETE FROM notifications WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM notifications WHERE user_id = :user_id ORDER BY id LIMIT :batch FOR UPDATE SKIP LOCKED));

-- name: removeKeysOf :execrows
DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM idempotency_keys WHERE user_id = :user_id ORDER BY key LIMIT :batch FOR UPDATE SKIP LOCKED));

-- name: removeReservationsOf :execrows
DELETE FROM upload_reservations WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM upload_reservations WHERE owner_id = :user_id ORDER BY id LIMIT :batch FOR UPDATE SKIP LOCKED));

-- name: lockUser :execrows
SELECT FROM users WHERE id = :user_id FOR UPDATE;

-- name: hasRows :one!
-- Whether a request that was running has added something since the user's data were removed.
SELECT EXISTS (SELECT FROM members WHERE user_id = :user_id)
  OR EXISTS (SELECT FROM messages WHERE sender_id = :user_id)
  OR EXISTS (SELECT FROM conversations WHERE created_by = :user_id)
  OR EXISTS (SELECT FROM video_uploads WHERE owner_id = :user_id)
  OR EXISTS (SELECT FROM partial_uploads WHERE owner_id = :user_id)
  OR EXISTS (SELECT FROM short_urls WHERE owner_id = :user_id)
  OR EXISTS (SELECT FROM posts WHERE author_id = :user_id)
  OR EXISTS (SELECT FROM idempotency_keys WHERE user_id = :user_id) AS "any!";

-- name: removeUser :execrows
DELETE FROM users WHERE id = :user_id AND deleted_at IS NOT NULL;
