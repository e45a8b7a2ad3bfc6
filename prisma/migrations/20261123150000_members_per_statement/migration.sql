-- By hand: the triggers on members run once for each statement instead of once for each row, so that a conversation of a hundred
-- members is counted once. The previous release needs no change: what it inserts and removes is counted as before.
CREATE OR REPLACE FUNCTION count_member_in() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  WITH counted AS (
    UPDATE conversations c SET member_count = c.member_count + joined.count, members_version = c.members_version + 1
    FROM (SELECT conversation_id, count(*)::int AS count FROM inserted GROUP BY conversation_id) AS joined
    WHERE c.id = joined.conversation_id RETURNING c.id, c.created_at)
  -- Members who join when the conversation is created have its time by default. Only those who join later are written again.
  UPDATE members m SET conversation_created_at = counted.created_at
  FROM inserted JOIN counted ON counted.id = inserted.conversation_id AND counted.created_at <> inserted.conversation_created_at
  WHERE m.conversation_id = inserted.conversation_id AND m.user_id = inserted.user_id;
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION count_member_out() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  -- Who it was is written down only for a conversation that stays.
  WITH counted AS (
    UPDATE conversations c SET member_count = c.member_count - gone.count, members_version = c.members_version + 1
    FROM (SELECT conversation_id, count(*)::int AS count FROM removed GROUP BY conversation_id) AS gone
    WHERE c.id = gone.conversation_id RETURNING c.id)
  INSERT INTO former_members (user_id, conversation_id)
  SELECT removed.user_id, removed.conversation_id FROM removed JOIN counted ON counted.id = removed.conversation_id
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER count_member_in AFTER INSERT ON "members" REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION count_member_in();
CREATE OR REPLACE TRIGGER count_member_out AFTER DELETE ON "members" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_member_out();
