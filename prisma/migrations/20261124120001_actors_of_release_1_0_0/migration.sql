-- Release 1.0.0 writes no `actor_id`, so a notification that counts one of its messages would name the sender of an earlier one. Its
-- statement inserts the message and the notifications; this trigger runs after both. `send_messages` says by a setting that it writes
-- the actors itself. Drop trigger and function in the first release after the support of 1.0.0 has ended.
CREATE FUNCTION name_actor_of_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE notifications SET actor_id = NEW.sender_id
    WHERE subject_id = NEW.conversation_id::text AND kind = 'message.created' AND resource_id = NEW.id::text;
  RETURN NULL;
END $$;

CREATE TRIGGER name_actor_of_message AFTER INSERT ON messages FOR EACH ROW
WHEN (current_setting('plumbline.moves_positions', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION name_actor_of_message();
