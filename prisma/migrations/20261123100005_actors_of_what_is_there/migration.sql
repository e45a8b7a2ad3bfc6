-- The actors of notifications that were there before. It commits each batch, so it holds few locks and can be repeated. It passes
-- by what a process of the previous release is writing. A conversation that is gone has no actors any more, so its notifications go.
DO $$
DECLARE
  last_id uuid := '00000000-0000-0000-0000-000000000000';
  page uuid[];
BEGIN
  LOOP
    page := ARRAY(SELECT id FROM notifications WHERE id > last_id ORDER BY id LIMIT 2000);
    EXIT WHEN page = '{}';
    last_id := page[cardinality(page)];

    WITH found AS MATERIALIZED (
      SELECT id, user_id, kind, title, resource_id, subject_id::uuid AS conversation_id FROM notifications
      WHERE id = ANY (page) AND kind IN ('message.created', 'conversation.member_added') AND actor_id IS NULL
      ORDER BY id FOR UPDATE SKIP LOCKED),
    -- A message has its sender. Only the owner adds members, so it was whoever owned the conversation: its creator, or a member.
    -- With two of the same name, nobody can tell which of them.
    known AS MATERIALIZED (
      SELECT f.id, f.conversation_id, c.id IS NULL AS is_gone, c.title, f.kind = 'conversation.member_added' AS is_addition,
        CASE f.kind WHEN 'message.created' THEN (
          SELECT m.sender_id FROM messages m WHERE m.id = CASE f.kind WHEN 'message.created' THEN f.resource_id::uuid END)
        ELSE (
          SELECT (array_agg(u.id))[1] FROM users u
          WHERE u.id IN (SELECT c.created_by UNION SELECT m.user_id FROM members m WHERE m.conversation_id = c.id)
            AND u.id <> f.user_id AND starts_with(f.title, u.display_name || ' added you to ')
          HAVING count(*) = 1) END AS actor_id
      FROM found f LEFT JOIN conversations c ON c.id = f.conversation_id),
    gone AS (DELETE FROM notifications n USING known k WHERE n.id = k.id AND (k.is_gone OR k.actor_id IS NULL AND NOT k.is_addition)),
    attributed AS (
      UPDATE notifications n SET actor_id = k.actor_id,
        title = CASE WHEN k.actor_id IS NULL THEN left('You were added to ' || coalesce(k.title, 'a conversation'), 200) ELSE n.title END
      FROM known k WHERE n.id = k.id AND NOT k.is_gone AND (k.actor_id IS NOT NULL OR k.is_addition))
    INSERT INTO former_members (user_id, conversation_id)
    SELECT DISTINCT k.actor_id, k.conversation_id FROM known k
    WHERE k.actor_id <> '00000000-0000-7000-8000-000000000000' AND NOT k.is_gone
      AND NOT EXISTS (SELECT FROM members m WHERE m.conversation_id = k.conversation_id AND m.user_id = k.actor_id)
    ON CONFLICT DO NOTHING;
    COMMIT;
  END LOOP;
END $$;
