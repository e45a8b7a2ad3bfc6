-- name: movePosition :execrows
-- Moves the stored read position of a member forwards. 0 if the user is not a member, or if there is no such message yet.
UPDATE members SET last_read_sequence = greatest(last_read_sequence, :sequence::int)
WHERE conversation_id = :conversation_id AND user_id = :user_id
  AND :sequence <= (SELECT last_sequence FROM conversations WHERE id = :conversation_id);

-- name: findUnreadMessage :one
-- The message that the unread notification of a conversation is about: the newest one that the user was told of.
SELECT resource_id AS id FROM notifications
WHERE user_id = :user_id AND subject_id = :conversation_id AND kind = 'message.created' AND read_at IS NULL;

-- name: markConversationRead :execrows
-- Marks the notifications about a conversation as read: that of being added, and that of messages if it is still about this one. If a
-- newer message was being counted meanwhile, PostgreSQL looks at the new row, and it stays unread.
UPDATE notifications SET read_at = greatest(now(), updated_at), archived_at = NULL
WHERE user_id = :user_id AND subject_id = :conversation_id AND read_at IS NULL
  AND (kind = 'conversation.member_added' OR kind = 'message.created' AND resource_id = :message_id?);
