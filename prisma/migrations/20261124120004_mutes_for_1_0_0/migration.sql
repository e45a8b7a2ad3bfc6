-- What 1.0.0 sends doesn't notify members who have muted the conversation. It writes no actor.
CREATE FUNCTION leave_muted_alone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF EXISTS (SELECT FROM members WHERE user_id = NEW.user_id AND muted_at IS NOT NULL
    AND conversation_id = CASE WHEN NEW.subject_id ~ '^[0-9a-f-]{36}$' THEN NEW.subject_id::uuid END) THEN
    RETURN NULL;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER leave_muted_alone BEFORE INSERT ON "notifications"
  FOR EACH ROW WHEN (NEW.actor_id IS NULL AND NEW.kind = 'message.created')
  EXECUTE FUNCTION leave_muted_alone();
