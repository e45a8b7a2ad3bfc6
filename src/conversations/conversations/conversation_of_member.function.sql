-- A conversation as one of its members sees it, and no row for others. A member has read up to the stored position, or up to their own
-- newest message if that is later: sending one stores no position. That message is looked up only if others wrote the newest one. BETWEEN
-- and the order by sender leave PostgreSQL one index for it: for `sender_id = user_id` and the order by sequence alone, it can also read
-- the messages of others backwards. PostgreSQL writes this query in place of the call.
CREATE OR REPLACE FUNCTION conversation_of_member(conversation uuid, member uuid)
RETURNS TABLE (id uuid, title varchar, created_by uuid, member_count int, last_message_at timestamptz, created_at timestamptz,
  last_sequence int, last_read_sequence int, is_muted boolean, excerpt text, sender_id uuid, sent_at timestamptz, sender_name varchar)
LANGUAGE sql STABLE AS $$
-- Edition 1
SELECT c.id, c.title, c.created_by, c.member_count, c.last_message_at, c.created_at, c.last_sequence,
  CASE WHEN m.last_read_sequence >= c.last_sequence THEN m.last_read_sequence
    WHEN newest.sender_id = m.user_id THEN c.last_sequence
    ELSE greatest(m.last_read_sequence, (
      SELECT own.sequence FROM messages own WHERE own.conversation_id = m.conversation_id
        AND (own.sender_id, own.conversation_id) BETWEEN (m.user_id, m.conversation_id) AND (m.user_id, m.conversation_id)
      ORDER BY own.sender_id DESC, own.sequence DESC LIMIT 1)) END,
  m.muted_at IS NOT NULL, newest.*
FROM members m JOIN conversations c ON c.id = m.conversation_id
  LEFT JOIN LATERAL (
    SELECT left(body, 140), sender_id, created_at,
      (SELECT display_name FROM users u WHERE u.id = sender_id AND u.deleted_at IS NULL)
    FROM messages WHERE conversation_id = c.id AND sequence = c.last_sequence LIMIT 1) AS newest ON true
WHERE m.conversation_id = conversation AND m.user_id = member
$$;
