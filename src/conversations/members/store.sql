-- part: member
m.conversation_id, m.user_id, m.role, m.joined_at, (SELECT display_name FROM people WHERE people.id = m.user_id) AS name

-- name: findMember :one
-- A member. `name` is null for a deleted user, until a job removes the membership. In SQL because every read of a conversation from a
-- replica asks the primary first.
SELECT {{member}}
FROM members m
WHERE m.conversation_id = :conversation_id AND m.user_id = :user_id;

-- name: findMembers :page
-- In the order in which the members joined.
SELECT {{member}}
FROM members m
WHERE m.conversation_id = :conversation_id AND (m.joined_at, m.user_id) < (:joined_at, :user_id)
ORDER BY m.joined_at DESC, m.user_id DESC LIMIT (SELECT :limit::int);

-- name: listMember :execrows
-- Adds a conversation to the list of a new member. `at` is the time of its last activity.
INSERT INTO listed_conversations (user_id, conversation_id, conversation_created_at, active_hour)
VALUES (:user_id, :conversation_id, :created_at, date_trunc('hour', :at::timestamptz, 'UTC')) ON CONFLICT DO NOTHING;

-- name: notifyMember :execrows
-- Notifies a new member of a conversation.
SELECT FROM add_notifications(ARRAY[:user_id::uuid], 'conversation.member_added', :actor_id::uuid, (names_of(ARRAY[:actor_id::uuid]))[1],
  :title?, NULL, NULL, :conversation_id::text, 'conversation', :conversation_id, '/conversations/' || :conversation_id);

-- name: readConversation :execrows
-- Marks the notifications of a user about a conversation as read.
SELECT FROM read_conversation(ARRAY[:user_id::uuid], :conversation_id);

-- name: findConversationsOf :many
-- Some of the conversations that a user is or was a member of.
(SELECT conversation_id AS "id!" FROM members WHERE user_id = :user_id LIMIT :batch)
UNION SELECT conversation_id FROM former_members WHERE user_id = :user_id LIMIT :batch;

-- name: setMuted :execrows
-- Mutes or unmutes a conversation for a member, from the next message on. A retry writes nothing.
UPDATE members SET muted_at = now() + CASE WHEN :is_muted THEN interval '0' END
WHERE conversation_id = :conversation_id AND user_id = :user_id AND (muted_at IS NOT NULL) <> :is_muted;

-- name: findUnmutedMembers :many
-- The members of some conversations whom a message notifies.
SELECT DISTINCT user_id FROM members WHERE conversation_id = ANY (:conversation_ids) AND muted_at IS NULL;
