-- Release 1.0.0 sends messages by its own statement. The read position of the sender, and the conversation in the lists of its members,
-- move in the trigger that names the actor for it: a second trigger would cost each message more. `send_messages` does it itself,
-- and turns the trigger off by the setting. In the order of the locks of `send_messages`: it runs at the end of a statement that has
-- locked the conversation.
CREATE OR REPLACE FUNCTION name_actor_of_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE notifications SET actor_id = NEW.sender_id
    WHERE subject_id = NEW.conversation_id::text AND kind = 'message.created' AND resource_id = NEW.id::text;
  UPDATE members SET last_read_sequence = NEW.sequence
    WHERE conversation_id = NEW.conversation_id AND user_id = NEW.sender_id AND last_read_sequence < NEW.sequence;
  UPDATE listed_conversations l SET active_hour = date_trunc('hour', c.last_message_at, 'UTC')
    FROM conversations c JOIN members m ON m.conversation_id = c.id
    WHERE c.id = NEW.conversation_id AND l.user_id = m.user_id AND l.conversation_id = c.id
      AND l.active_hour <> date_trunc('hour', c.last_message_at, 'UTC');
  RETURN NULL;
END $$;
