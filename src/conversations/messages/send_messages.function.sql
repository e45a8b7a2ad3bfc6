-- Sends messages in one conversation, and writes events for the webhook endpoints of all members. The last message notifies the other
-- members, unless they have muted the conversation. Each sender has read everything before the own message. Returns the sent messages: a
-- message is not sent if its sender is not a member, or if its key is used.
-- Each statement sees what is committed before it (READ COMMITTED). Statements after the lock of the conversation therefore see its current
-- members and messages. It fails with 40001 if a sender has just left, and with 23505 if a key has just been used; then send again.
-- It locks the conversation, then the lists of its members, then notifications about it. It locks no row that another conversation locks.
CREATE OR REPLACE FUNCTION send_messages(conversation uuid, ids uuid[], senders uuid[], names text[], bodies text[], keys text[])
RETURNS TABLE (id uuid, sequence int, created_at timestamptz) LANGUAGE plpgsql AS $$
-- Edition 9
#variable_conflict use_column
DECLARE
  total int := cardinality(ids);
  allowed bigint[];
  newest int;
  at timestamptz;
  active_before timestamptz;
  hour timestamptz;
  conversation_title text;
  member_ids uuid[];
  recipients uuid[];
  -- The number of messages for each recipient. A subquery in the call would have it planned again for each message.
  counts int[];
BEGIN
  -- A request that can send nothing takes no lock. OFFSET 0 makes an index lookup for each key: PostgreSQL expects few messages in a
  -- conversation, and would read all of them. The last subquery reads the row before this message, or an older version after a wait.
  UPDATE conversations AS c SET last_sequence = last_sequence + total, last_message_at = clock_after(last_sequence)
    WHERE c.id = conversation AND deleted_at IS NULL AND NOT EXISTS (
      SELECT FROM unnest(senders, keys) AS input (sender, key)
      WHERE NOT EXISTS (SELECT FROM members WHERE conversation_id = conversation AND user_id = sender)
        OR EXISTS (SELECT FROM messages WHERE conversation_id = conversation AND sender_id = sender AND idempotency_key = key OFFSET 0))
    RETURNING last_sequence, last_message_at, c.title,
      coalesce((SELECT before.last_message_at FROM conversations before WHERE before.id = conversation), c.created_at)
    INTO newest, at, conversation_title, active_before;
  IF NOT FOUND THEN
    allowed := array(
      SELECT n FROM unnest(senders, keys) WITH ORDINALITY AS input (sender, key, n)
      WHERE EXISTS (SELECT FROM members WHERE conversation_id = conversation AND user_id = sender)
        AND NOT EXISTS (SELECT FROM messages WHERE conversation_id = conversation AND sender_id = sender AND idempotency_key = key)
      ORDER BY n);
    IF cardinality(allowed) BETWEEN 1 AND total - 1 THEN
      RETURN QUERY SELECT sent.* FROM
        (SELECT array_agg(ids[n]) AS i, array_agg(senders[n]) AS s, array_agg(names[n]) AS na, array_agg(bodies[n]) AS b,
          array_agg(keys[n]) AS k FROM unnest(allowed) AS n) AS again, send_messages(conversation, i, s, na, b, k) AS sent;
    END IF;
    RETURN;
  END IF;
  -- `recipients` is null if all members have muted the conversation.
  SELECT array_agg(user_id), array_agg(user_id) FILTER (WHERE muted_at IS NULL) INTO member_ids, recipients
    FROM members WHERE conversation_id = conversation;
  IF (senders <@ member_ids) IS NOT TRUE THEN RAISE EXCEPTION 'A sender is no longer a member.' USING ERRCODE = '40001'; END IF;
  RETURN QUERY INSERT INTO messages (id, conversation_id, sequence, sender_id, body, idempotency_key, created_at)
    SELECT m.id, conversation, newest - total + m.position, m.sender, m.body, m.key, at
    FROM unnest(ids, senders, bodies, keys) WITH ORDINALITY AS m (id, sender, body, key, position)
    RETURNING id, sequence, created_at;
  hour := date_trunc('hour', at, 'UTC');
  IF active_before < hour THEN
    UPDATE listed_conversations SET active_hour = hour WHERE conversation_id = conversation AND active_hour <> hour
      AND user_id = ANY (member_ids);
  END IF;
  IF EXISTS (SELECT FROM webhook_endpoints WHERE owner_id = ANY (member_ids)) THEN
    PERFORM tell_endpoints(member_ids, 'message.created', array(
      SELECT jsonb_build_object('conversation_id', conversation, 'message_id', ids[p], 'sequence', newest - total + p)
      FROM generate_subscripts(ids, 1) AS p), at);
  END IF;
  -- A sender has read everything before the own message, so only later messages count. The last sender is not notified.
  PERFORM read_conversation(senders, conversation::text);
  recipients := array_remove(recipients, senders[total]);
  IF total > 1 THEN
    counts := array(
      SELECT total - coalesce((SELECT max(p) FROM generate_subscripts((SELECT senders), 1) AS p WHERE senders[p] = recipient), 0)
      FROM unnest((SELECT recipients)) WITH ORDINALITY AS input (recipient, position) ORDER BY position);
  END IF;
  PERFORM add_notifications(recipients, 'message.created', senders[total], names[total], conversation_title, bodies[total], NULL,
    conversation::text, 'message', ids[total]::text, format('/conversations/%s/messages/%s', conversation, ids[total]), at, counts);
END $$;
