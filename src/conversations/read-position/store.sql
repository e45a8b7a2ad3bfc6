-- name: movePosition :execrows
-- Moves the stored read position of a member forwards. 0 if the user is not a member, or if there is no such message yet.
UPDATE members SET last_read_sequence = greatest(last_read_sequence, :sequence::int)
WHERE conversation_id = :conversation_id AND user_id = :user_id
  AND :sequence <= (SELECT last_sequence FROM conversations WHERE id = :conversation_id);

-- name: lockUnreadMessage :one
-- The message of the unread notification about a conversation: the newest message that notified the user. It locks the notification, so
-- that no other message is counted in it before the transaction ends.
SELECT resource_id AS id FROM notifications
WHERE user_id = :user_id AND subject_id = :conversation_id AND kind = 'message.created' AND read_at IS NULL FOR NO KEY UPDATE;

-- name: readConversationUpTo :execrows
-- Marks the notifications about a conversation as read: one about the membership, and one about messages, which `message_id` has locked.
-- The second one stays unread if `unread` messages up to `message_id` are after the read position; then it counts only these.
SELECT FROM read_conversation(ARRAY[:user_id::uuid], :conversation_id, :message_id, :unread);
