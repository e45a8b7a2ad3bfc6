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
