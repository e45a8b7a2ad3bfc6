-- The lists of the members that were there before, who have read everything so far. It commits each batch, so it can be repeated, and
-- locks the conversations of a batch against messages and changes of their members. A conversation that is locked meanwhile is left
-- for another round: each must be in the lists, and only its lock says that nothing changes. Nobody can rely on the positions yet.
DO $$
DECLARE
  last_id uuid;
  page uuid[];
  mine uuid[];
  is_complete boolean;
BEGIN
  LOOP
    last_id := '00000000-0000-0000-0000-000000000000';
    is_complete := true;
    LOOP
      page := ARRAY(SELECT id FROM conversations WHERE id > last_id ORDER BY id LIMIT 200);
      EXIT WHEN page = '{}';
      last_id := page[cardinality(page)];
      page := ARRAY(
        SELECT DISTINCT m.conversation_id FROM members m WHERE m.conversation_id = ANY (page) AND NOT EXISTS (
          SELECT FROM listed_conversations l WHERE l.user_id = m.user_id AND l.conversation_id = m.conversation_id));
      mine := ARRAY(SELECT id FROM conversations WHERE id = ANY (page) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED);
      is_complete := is_complete AND cardinality(mine) = cardinality(page);

      UPDATE members m SET last_read_sequence = c.last_sequence FROM conversations c
      WHERE c.id = ANY (mine) AND m.conversation_id = c.id AND m.last_read_sequence < c.last_sequence AND NOT EXISTS (
        SELECT FROM listed_conversations l WHERE l.user_id = m.user_id AND l.conversation_id = m.conversation_id);
      INSERT INTO listed_conversations (user_id, conversation_id, conversation_created_at, active_hour)
      SELECT m.user_id, c.id, c.created_at, date_trunc('hour', coalesce(c.last_message_at, c.created_at), 'UTC')
      FROM conversations c JOIN members m ON m.conversation_id = c.id WHERE c.id = ANY (mine)
      ON CONFLICT DO NOTHING;
      COMMIT;
    END LOOP;
    EXIT WHEN is_complete;
    PERFORM pg_sleep(0.1);
  END LOOP;
END $$;
