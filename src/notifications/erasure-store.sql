-- name: eraseFromNotifications :execrows
-- Removes the name and the words of a user from some of the notifications about a conversation. One that a process of 1.0.0 has
-- written can have another actor or none, so its message tells, too.
UPDATE notifications SET actor_id = :nobody, body = CASE WHEN body IS NOT NULL THEN :text END,
  title = CASE WHEN starts_with(title, :name::text || ' ')
    THEN left(:name_of_nobody::text || substr(title, length(:name) + 1), 200)
    ELSE :name_of_nobody || CASE kind WHEN 'message.created' THEN ' wrote to you' ELSE ' added you to a conversation' END END
WHERE id IN (
  SELECT n.id FROM notifications n WHERE n.subject_id = :conversation_id AND (
    n.actor_id = :user_id OR n.body <> :text AND EXISTS (
      SELECT FROM messages m
      WHERE m.id = CASE n.kind WHEN 'message.created' THEN n.resource_id::uuid END AND m.sender_id = :user_id))
  LIMIT :batch);
