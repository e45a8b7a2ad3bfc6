-- Release 1.0.0 knows no lists of conversations, so triggers keep them for its processes. This version writes the same rows itself, and the
-- triggers find nothing to do. The conversation is locked: `count_member_in` and `count_member_out` run before them, in the order of
-- their names. Remove these triggers, and those of the next two migrations, with the first release that no longer runs beside 1.0.0.
CREATE FUNCTION list_member_in() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO listed_conversations (user_id, conversation_id, conversation_created_at, active_hour)
  SELECT i.user_id, c.id, c.created_at, date_trunc('hour', coalesce(c.last_message_at, c.created_at), 'UTC')
  FROM inserted i JOIN conversations c ON c.id = i.conversation_id
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE FUNCTION list_member_out() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM listed_conversations l USING removed r WHERE l.user_id = r.user_id AND l.conversation_id = r.conversation_id;
  RETURN NULL;
END $$;
CREATE TRIGGER list_member_in AFTER INSERT ON "members" REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION list_member_in();
CREATE TRIGGER list_member_out AFTER DELETE ON "members" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION list_member_out();
