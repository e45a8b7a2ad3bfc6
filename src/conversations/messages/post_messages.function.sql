-- Sends messages as `send_messages` does, and returns the name of each sender. On a cluster, all of it runs on the node of the
-- conversation. A function with other arguments, or in a transaction of several statements, would run on the coordinator.
CREATE OR REPLACE FUNCTION post_messages(conversation uuid, ids uuid[], senders uuid[], bodies text[], keys text[])
RETURNS TABLE (id uuid, sequence int, created_at timestamptz, sender_name text) LANGUAGE plpgsql AS $$
-- Edition 4
#variable_conflict use_column
DECLARE
  -- Read now, for the notifications and the responses: a principal can have an old name, and a sender who was just deleted has none.
  names text[] := names_of(senders);
BEGIN
  RETURN QUERY SELECT sent.id, sent.sequence, sent.created_at, names[array_position(ids, sent.id)]
    FROM send_messages(conversation, ids, senders, names, bodies, keys) AS sent;
END $$;
