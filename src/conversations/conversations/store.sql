-- name: insertConversation :one
-- Inserts a conversation, its members and its idempotency key, if there is one. Notifies all members except the creator. Inserts nothing
-- if a member is not a user. In SQL because Prisma would need a transaction of nine round trips. The creator becomes the owner and joins
-- first: lists of members begin with the owner, and the earliest other member inherits the conversation.
-- A part of its own reads the name of the creator: on a cluster, what reads `users` runs on one node, where it can't notify.
WITH input AS (SELECT user_id FROM unnest((SELECT :member_ids::uuid[])) AS input (user_id)),
opened AS (
  INSERT INTO conversations (id, title, created_by) SELECT :id::uuid, :title?, :created_by::uuid
  WHERE CASE
    WHEN EXISTS (SELECT FROM input WHERE NOT EXISTS (SELECT FROM people WHERE people.id = input.user_id)) THEN false
    WHEN :key?::text IS NULL THEN true
    ELSE claim_key(:user_id?, :operation_id?, :key?, :fingerprint?, :status?, :headers?, :response?, :placeholder?) END
  RETURNING id, created_by, created_at),
creator AS MATERIALIZED (SELECT display_name FROM people WHERE people.id = :created_by::uuid),
joined AS (
  INSERT INTO members (conversation_id, user_id, role, joined_at)
  SELECT id, created_by, 'owner', created_at FROM opened
  UNION ALL SELECT id, user_id, 'member', created_at + interval '1 ms' FROM opened, input WHERE user_id <> created_by
  RETURNING user_id, role),
listed AS (
  INSERT INTO listed_conversations (user_id, conversation_id, conversation_created_at, active_hour)
  SELECT user_id, id, created_at, date_trunc('hour', created_at, 'UTC') FROM joined, opened RETURNING 1)
SELECT created_at FROM opened, add_notifications(
  array(SELECT user_id FROM joined WHERE role = 'member'), 'conversation.member_added', created_by,
  (SELECT display_name FROM creator), :title?, NULL, NULL, id::text, 'conversation', id::text, '/conversations/' || id::text);

-- name: findConversation :one
-- Finds a conversation that is not deleted. In SQL because every read of it from a replica asks the primary first.
SELECT id, title, created_by, member_count, last_message_at, created_at FROM conversations WHERE id = :id AND deleted_at IS NULL;

-- name: findConversationOf, findConversationAndSequence :one
-- A conversation as a member sees it, with the columns of the view `conversations_of_members`. The second statement adds the sequence of a
-- message. Each subquery names the conversation, so that a cluster asks one node. GROUP BY makes each an index lookup.
SELECT c.id AS "id!", c.title, c.created_by AS "created_by!", c.member_count AS "member_count!", c.last_message_at,
  c.created_at AS "created_at!", c.last_sequence AS "last_sequence!",
  CASE WHEN m.last_read_sequence >= c.last_sequence THEN m.last_read_sequence
    WHEN newest.sender_id = m.user_id THEN c.last_sequence
    ELSE greatest(m.last_read_sequence, (
      SELECT own.sequence FROM messages own WHERE own.conversation_id = :id
        AND (own.sender_id, own.conversation_id) BETWEEN (m.user_id, m.conversation_id) AND (m.user_id, m.conversation_id)
      ORDER BY own.sender_id DESC, own.sequence DESC LIMIT 1)) END AS "last_read_sequence!",
  m.muted_at IS NOT NULL AS "is_muted!", newest.excerpt, newest.sender_id, newest.sent_at,
  (SELECT display_name FROM people WHERE people.id = newest.sender_id) AS sender_name[[,
  (SELECT sequence FROM messages WHERE conversation_id = :id AND id = :message_id?::uuid) AS message_sequence]]
FROM members m JOIN conversations c ON c.id = m.conversation_id
  LEFT JOIN LATERAL (
    SELECT left(body, 140) AS excerpt, sender_id, created_at AS sent_at FROM messages
    WHERE conversation_id = :id AND sequence = c.last_sequence GROUP BY conversation_id, sequence) AS newest ON true
WHERE m.conversation_id = :id AND m.user_id = :user_id;

-- part: conversation
seen.id AS "id!", title, created_by AS "created_by!", member_count AS "member_count!", last_message_at, created_at AS "created_at!",
  last_sequence AS "last_sequence!", last_read_sequence AS "last_read_sequence!", is_muted AS "is_muted!", excerpt, sender_id, sent_at,
  sender_name

-- name: findConversations :page
-- A page of a user's conversations by creation, as the user sees them. In SQL because Prisma can't sort them by a column of another table.
SELECT {{conversation}}
FROM (
    SELECT conversation_id, conversation_created_at FROM listed_conversations
    WHERE user_id = :user_id AND (conversation_created_at, conversation_id) < (:created_at, :id)
    ORDER BY conversation_created_at DESC, conversation_id DESC LIMIT (SELECT :limit::int)
  ) AS listed JOIN conversations_of_members seen ON seen.id = listed.conversation_id AND seen.user_id = :user_id
ORDER BY listed.conversation_created_at DESC, listed.conversation_id DESC;

-- name: findConversationsByActivity :page
-- A page of a user's conversations, newest message first. An index has only the hour of that message: it gives the hour of the position,
-- and whole hours before it until there are enough rows, which are then sorted. GROUP BY makes each read an index lookup. Without it,
-- PostgreSQL expects many rows, and reads them in parallel, or reads all conversations.
SELECT {{conversation}}, listed.active_at AS "active_at!", now() AS "read_at!"
FROM (
    SELECT hours.conversation_id, exact.active_at FROM (
      (SELECT conversation_id FROM listed_conversations
       WHERE user_id = :user_id AND active_hour = date_trunc('hour', :active_at::timestamptz, 'UTC'))
      UNION ALL
      (SELECT conversation_id FROM listed_conversations
       WHERE user_id = :user_id AND active_hour < date_trunc('hour', :active_at::timestamptz, 'UTC')
       ORDER BY active_hour DESC FETCH FIRST (SELECT :limit::int) ROWS WITH TIES)) AS hours
    CROSS JOIN LATERAL (
      SELECT coalesce(last_message_at, created_at) AS active_at FROM conversations WHERE id = hours.conversation_id GROUP BY id) AS exact
    WHERE (exact.active_at, hours.conversation_id) < (:active_at, :id)
    ORDER BY exact.active_at DESC, hours.conversation_id DESC LIMIT :limit
  ) AS listed JOIN conversations_of_members seen ON seen.id = listed.conversation_id AND seen.user_id = :user_id
ORDER BY listed.active_at DESC, listed.conversation_id DESC;

-- name: findMovedConversations :page
-- The conversations of a user that were active after an instant, by creation.
SELECT {{conversation}}
FROM (
    SELECT * FROM (
      SELECT hours.* FROM (
        SELECT conversation_id, conversation_created_at FROM listed_conversations
        WHERE user_id = :user_id AND active_hour >= date_trunc('hour', :since::timestamptz, 'UTC') OFFSET 0) AS hours
      CROSS JOIN LATERAL (
        SELECT coalesce(last_message_at, created_at) AS active_at FROM conversations WHERE id = hours.conversation_id GROUP BY id) AS exact
      WHERE exact.active_at > :since OFFSET 0) AS moved
    WHERE (conversation_created_at, conversation_id) < (:created_at, :id)
    ORDER BY conversation_created_at DESC, conversation_id DESC LIMIT (SELECT :limit::int)
  ) AS listed JOIN conversations_of_members seen ON seen.id = listed.conversation_id AND seen.user_id = :user_id
ORDER BY listed.conversation_created_at DESC, listed.conversation_id DESC;

-- name: lockConversation :execrows
-- Locks a conversation against changes to its members and new messages. 0 if it does not exist.
SELECT FROM conversations WHERE id = :id AND deleted_at IS NULL FOR UPDATE;

-- name: setTitle :execrows
-- Gives a conversation another title.
UPDATE conversations SET title = :title WHERE id = :id AND title IS DISTINCT FROM :title;

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
-- Replaces the creator of conversations that have other members.
UPDATE conversations SET created_by = :deleted_user_id
WHERE id IN (SELECT id FROM conversations WHERE created_by = :user_id LIMIT :batch);
