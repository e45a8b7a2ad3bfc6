-- Counts members with statements that each name a conversation: on a cluster (Citus), a statement of a trigger can't read the rows that it
-- is called for together with a table that is spread over the nodes.
CREATE OR REPLACE FUNCTION count_member_in() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  joined record;
  counted record;
BEGIN
  FOR joined IN SELECT conversation_id AS id, count(*)::int AS count, array_agg(user_id) AS users FROM inserted GROUP BY 1 LOOP
    UPDATE conversations c SET member_count = c.member_count + joined.count, members_version = c.members_version + 1
    WHERE c.id = joined.id RETURNING c.created_at, c.last_sequence INTO counted;
    -- Members who join when the conversation is created have its time and position by default. Others are written again.
    UPDATE members m SET conversation_created_at = counted.created_at, last_read_sequence = counted.last_sequence
    WHERE m.conversation_id = joined.id AND m.user_id = ANY (joined.users)
      AND (m.conversation_created_at, m.last_read_sequence) <> (counted.created_at, counted.last_sequence);
  END LOOP;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_member_out() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  gone record;
BEGIN
  FOR gone IN SELECT conversation_id AS id, count(*)::int AS count, array_agg(user_id) AS users FROM removed GROUP BY 1 LOOP
    UPDATE conversations c SET member_count = c.member_count - gone.count, members_version = c.members_version + 1
    WHERE c.id = gone.id;
    -- Who it was is written down only for a conversation that stays.
    IF FOUND THEN
      INSERT INTO former_members (conversation_id, user_id) SELECT gone.id, unnest(gone.users) ON CONFLICT DO NOTHING;
    END IF;
  END LOOP;
  RETURN NULL;
END $$;
