-- name: findRole :one
-- In SQL because every read of a conversation from a replica asks the primary first.
SELECT role FROM members WHERE conversation_id = :conversation_id AND user_id = :user_id;

-- name: removeFormerMembers :execrows
-- Removes some of those who once were members of a conversation.
DELETE FROM former_members WHERE (user_id, conversation_id) IN (
  SELECT user_id, conversation_id FROM former_members WHERE conversation_id = :conversation_id LIMIT 1000);

-- name: notifyMember :execrows
-- Notifies a user who has been added to a conversation.
SELECT FROM notify_users(ARRAY[:user_id::uuid], 'conversation.member_added', :title, NULL, :actor_id::uuid, :conversation_id::text,
  'conversation', :conversation_id, '/conversations/' || :conversation_id);

-- name: findConversationsOf :many
-- Some of the conversations that a user is or was a member of.
(SELECT conversation_id AS "id!" FROM members WHERE user_id = :user_id LIMIT :batch)
UNION SELECT conversation_id FROM former_members WHERE user_id = :user_id LIMIT :batch;
