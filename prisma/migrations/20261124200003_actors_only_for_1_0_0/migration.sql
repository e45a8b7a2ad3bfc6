-- What release 1.0.0 sends names its actor and moves the conversation in the lists of its members. The read position of a sender is no
-- longer stored but read from their messages, whichever version sends them.
CREATE OR REPLACE FUNCTION name_actor_of_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE notifications SET actor_id = NEW.sender_id
    WHERE subject_id = NEW.conversation_id::text AND kind = 'message.created' AND resource_id = NEW.id::text;
  UPDATE listed_conversations l SET active_hour = date_trunc('hour', c.last_message_at, 'UTC')
    FROM conversations c JOIN members m ON m.conversation_id = c.id
    WHERE c.id = NEW.conversation_id AND l.user_id = m.user_id AND l.conversation_id = c.id
      AND l.active_hour <> date_trunc('hour', c.last_message_at, 'UTC');
  RETURN NULL;
END $$;
