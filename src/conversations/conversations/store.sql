-- name: insertConversation :one
-- Inserts a conversation with its members, with its key if there is one, and notifies all members but its creator. Inserts nothing if
-- one of them is not a user. In SQL because Prisma would need a transaction of nine round trips. The creator is the owner, and the
-- first to have joined: the owner leads a list of members, and whoever joined first becomes the owner after them.
WITH given AS (SELECT user_id FROM unnest((SELECT :member_ids::uuid[])) AS given (user_id)),
opened AS (
  INSERT INTO conversations (id, title, created_by) SELECT :id::uuid, :title?, :created_by::uuid
  WHERE CASE
    WHEN EXISTS (SELECT FROM given WHERE NOT EXISTS (SELECT FROM users WHERE users.id = given.user_id AND deleted_at IS NULL)) THEN false
    WHEN :key?::text IS NULL THEN true
    ELSE claim_key(:user_id?, :operation_id?, :key?, :fingerprint?, :status?, :headers?, :response?, :placeholder?) END
  RETURNING id, created_by, created_at),
joined AS (
  INSERT INTO members (conversation_id, user_id, role, joined_at)
  SELECT id, created_by, 'owner', created_at FROM opened
  UNION ALL SELECT id, user_id, 'member', created_at + interval '1 ms' FROM opened, given WHERE user_id <> created_by
  RETURNING user_id, role)
SELECT created_at FROM opened, notify_users(
  array(SELECT user_id FROM joined WHERE role = 'member'), 'conversation.member_added',
  (SELECT display_name FROM users WHERE users.id = created_by) || :notice, NULL, created_by,
  id::text, 'conversation', id::text, '/conversations/' || id::text);

-- name: findConversation :one
-- Finds a conversation that is not deleted. In SQL so that all reads of conversations have the same row.
SELECT id, title, created_by, member_count, last_message_at, created_at FROM conversations WHERE id = :id AND deleted_at IS NULL;

-- name: findConversations :page
-- A window of a user's conversations. Members have the creation time of their conversation, so an index has this order. In SQL
-- because Prisma cannot sort conversations by a column of their members.
SELECT c.id, c.title, c.created_by, c.member_count, c.last_message_at, c.created_at FROM (
    SELECT conversation_id, conversation_created_at FROM members
    WHERE user_id = :user_id AND (conversation_created_at, conversation_id) < (:created_at, :id)
    ORDER BY conversation_created_at DESC, conversation_id DESC LIMIT (SELECT :limit::int)
  ) AS listed JOIN conversations c ON c.id = listed.conversation_id
ORDER BY conversation_created_at DESC, conversation_id DESC LIMIT (SELECT :limit::int);

-- name: lockConversation :execrows
-- Locks a conversation against changes to its members and new messages. 0 if it does not exist.
SELECT FROM conversations WHERE id = :id AND deleted_at IS NULL FOR UPDATE;

-- name: markDeleted :execrows
-- Marks a conversation as deleted, so that no user can access it. A job removes its rows.
UPDATE conversations SET deleted_at = now() WHERE id = :id;

-- name: removeDeleted :execrows
-- Removes the row of a deleted conversation.
DELETE FROM conversations WHERE id = :id AND deleted_at IS NOT NULL;

-- name: findOverdue :many
-- Deleted conversations whose rows should have been removed by now, at most one batch.
SELECT id FROM conversations WHERE deleted_at < now() - interval '1 day' ORDER BY deleted_at LIMIT 100;

-- name: eraseCreator :execrows
-- Gives conversations that others are still in another creator.
UPDATE conversations SET created_by = :nobody
WHERE id IN (SELECT id FROM conversations WHERE created_by = :user_id LIMIT :batch);
