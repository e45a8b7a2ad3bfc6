-- part: message
id, conversation_id, sender_id, sequence, body, created_at,
  (SELECT display_name FROM people WHERE people.id = sender_id) AS sender_name

-- name: findMessage :one
-- In SQL so that all reads of messages have the same row.
SELECT {{message}}
FROM messages WHERE conversation_id = :conversation_id AND id = :id;

-- name: findMessageByKey :one
-- The message that a sender sent with an idempotency key, if there is one.
SELECT {{message}}
FROM messages
WHERE conversation_id = :conversation_id AND sender_id = :sender_id AND idempotency_key = :idempotency_key;

-- name: findMessagePage :page
-- The messages of a page, the sequence of the newest message, and the mark of the message with the sequence `named`, if there is one. A
-- page without messages is one row whose `id` is null. There is no row if the user is not a member. In SQL because one statement then
-- reads the membership, the page, whether there are more messages, and whether the cursor is still valid.
SELECT c.last_sequence AS "last_sequence!", (
    SELECT right(id::text, 12) FROM messages WHERE conversation_id = :conversation_id AND sequence = :named?::int) AS mark,
  page.*
FROM members m JOIN conversations c ON c.id = m.conversation_id LEFT JOIN (
  SELECT {{message}}
  FROM messages
  WHERE conversation_id = :conversation_id AND (sequence) < (:sequence)
  ORDER BY sequence DESC LIMIT (SELECT :limit::int)) AS page ON true
WHERE m.conversation_id = :conversation_id AND m.user_id = :user_id ORDER BY page.sequence DESC;

-- name: sendMessages :many
-- The statement has nothing else, so that a cluster runs the function on the node of the conversation.
SELECT id AS "id!", sequence AS "sequence!", created_at AS "created_at!", sender_name
FROM post_messages(:conversation_id, :ids, :sender_ids, :bodies, :keys);

-- name: findNewestSequence :one
-- The sequence of the newest message of a deleted conversation, if there is one.
SELECT (SELECT max(sequence) FROM messages WHERE conversation_id = :id) AS newest
FROM conversations WHERE id = :id AND deleted_at IS NOT NULL;

-- name: removeMessages :execrows
-- Removes the messages with a sequence above `after`, up to and including `up_to`.
DELETE FROM messages WHERE conversation_id = :id AND sequence <= :up_to AND sequence > :after;

-- name: eraseMessages :execrows
-- Removes the author, the text and the key of some messages. Their sequences must have no gaps.
UPDATE messages SET sender_id = :deleted_user_id, body = :text, idempotency_key = id::text
WHERE (conversation_id, sequence) IN (SELECT conversation_id, sequence FROM messages WHERE sender_id = :user_id LIMIT :batch);
