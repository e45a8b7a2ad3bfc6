-- Sends messages as `send_messages` does, and tells the name of each sender. On a cluster, the whole of it runs on the node of the
-- conversation: one with other arguments, or in a transaction of several statements, runs on the coordinator.
CREATE OR REPLACE FUNCTION post_messages(conversation uuid, ids uuid[], senders uuid[], bodies text[], keys text[])
RETURNS TABLE (id uuid, sequence int, created_at timestamptz, sender_name text) LANGUAGE plpgsql AS $$
-- Edition 3
#variable_conflict use_column
DECLARE
  -- As they are now, for the notifications and the responses: those of principals can be old, and a sender who has been deleted a
  -- moment ago has none.
  names text[] := names_of(senders);
BEGIN
  RETURN QUERY SELECT sent.id, sent.sequence, sent.created_at, names[array_position(ids, sent.id)]
    FROM send_messages(conversation, ids, senders, names, bodies, keys) AS sent;
END $$;
