-- AlterTable
ALTER TABLE "members" ADD COLUMN     "last_read_sequence" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "muted_at" TIMESTAMPTZ(3);

-- By hand: whoever joins a conversation has read its messages so far, whichever version of the service adds the member.
CREATE OR REPLACE FUNCTION count_member_in() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  WITH counted AS (
    UPDATE conversations c SET member_count = c.member_count + joined.count, members_version = c.members_version + 1
    FROM (SELECT conversation_id, count(*)::int AS count FROM inserted GROUP BY conversation_id) AS joined
    WHERE c.id = joined.conversation_id RETURNING c.id, c.created_at, c.last_sequence)
  -- Members who join when the conversation is created have its time and position by default. Others are written again.
  UPDATE members m SET conversation_created_at = counted.created_at, last_read_sequence = counted.last_sequence
  FROM inserted JOIN counted ON counted.id = inserted.conversation_id
    AND (counted.created_at, counted.last_sequence) <> (inserted.conversation_created_at, inserted.last_read_sequence)
  WHERE m.conversation_id = inserted.conversation_id AND m.user_id = inserted.user_id;
  RETURN NULL;
END $$;
