-- name: movePosition :execrows
-- Moves the stored read position of a member forwards. 0 if the user is not a member, or if there is no such message yet.
UPDATE members SET last_read_sequence = greatest(last_read_sequence, :sequence::int)
WHERE conversation_id = :conversation_id AND user_id = :user_id
  AND :sequence <= (SELECT last_sequence FROM conversations WHERE id = :conversation_id);

-- name: lockUnreadMessage :one
-- The message that the unread notification of a conversation is about: the newest one that the user was notified of. Until the transaction
-- ends, no other message is counted in it.
SELECT resource_id AS id FROM notifications
WHERE user_id = :user_id AND subject_id = :conversation_id AND kind = 'message.created' AND read_at IS NULL FOR NO KEY UPDATE;

-- name: readConversationUpTo :execrows
-- Marks the notifications about a conversation as read: that of being added, and that of messages, which was locked with `message_id`.
-- If `unread` messages up to that one are after the position, it stays unread, and counts no more than these.
SELECT FROM read_conversation(ARRAY[:user_id::uuid], :conversation_id, :message_id, :unread);
