-- name: findMember :one
-- In SQL because every read of a conversation from a replica asks the primary first.
SELECT m.conversation_id, m.user_id, m.role, m.joined_at, u.display_name FROM members m JOIN users u ON u.id = m.user_id
WHERE m.conversation_id = :conversation_id AND m.user_id = :user_id;

-- name: findMembers :page
-- In the order in which the members joined.
SELECT m.conversation_id, m.user_id, m.role, m.joined_at, u.display_name FROM members m JOIN users u ON u.id = m.user_id
WHERE m.conversation_id = :conversation_id AND (m.joined_at, m.user_id) < (:joined_at, :user_id)
ORDER BY m.joined_at DESC, m.user_id DESC LIMIT (SELECT :limit::int);

-- name: notifyMember :execrows
-- Notifies a user who has been added to a conversation. The title begins with the name of who did it, as it is now.
SELECT FROM users, notify_users(ARRAY[:user_id::uuid], 'conversation.member_added', display_name || :ending, NULL, users.id,
  :conversation_id::text, 'conversation', :conversation_id, '/conversations/' || :conversation_id)
WHERE users.id = :actor_id;

-- name: findConversationsOf :many
-- Some of the conversations that a user is or was a member of.
(SELECT conversation_id AS "id!" FROM members WHERE user_id = :user_id LIMIT :batch)
UNION SELECT conversation_id FROM former_members WHERE user_id = :user_id LIMIT :batch;
