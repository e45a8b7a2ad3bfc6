-- The conversations as their members see them. A member has read up to the stored position, or up to their own newest message if that
-- is later: sending one stores no position. That message is looked up only if others wrote the newest one. BETWEEN and the order by
-- sender leave PostgreSQL one index for it: for `sender_id = user_id` and the order by sequence alone, it can also read the messages of
-- others backwards. GROUP BY makes a look-up of the newest message.
CREATE VIEW conversations_of_members AS
SELECT m.user_id, c.id, c.title, c.created_by, c.member_count, c.last_message_at, c.created_at, c.last_sequence,
  CASE WHEN m.last_read_sequence >= c.last_sequence THEN m.last_read_sequence
    WHEN newest.sender_id = m.user_id THEN c.last_sequence
    ELSE greatest(m.last_read_sequence, (
      SELECT own.sequence FROM messages own WHERE own.conversation_id = m.conversation_id
        AND (own.sender_id, own.conversation_id) BETWEEN (m.user_id, m.conversation_id) AND (m.user_id, m.conversation_id)
      ORDER BY own.sender_id DESC, own.sequence DESC LIMIT 1)) END AS last_read_sequence,
  m.muted_at IS NOT NULL AS is_muted, newest.excerpt, newest.sender_id, newest.sent_at,
  (SELECT display_name FROM users u WHERE u.id = newest.sender_id AND u.deleted_at IS NULL) AS sender_name
FROM members m JOIN conversations c ON c.id = m.conversation_id
  LEFT JOIN LATERAL (
    SELECT left(body, 140) AS excerpt, sender_id, created_at AS sent_at FROM messages
    WHERE conversation_id = c.id AND sequence = c.last_sequence GROUP BY conversation_id, sequence) AS newest ON true;
