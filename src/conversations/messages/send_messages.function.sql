-- Sends messages in one conversation, and notifies the other members of the last one, unless they have muted the conversation. Each sender
-- has read what is before the own message. Tells the endpoints of all members of each message. Returns the messages that it has sent: not those whose
-- sender is not a member, or whose key is used. Each statement sees what was committed before it (READ COMMITTED), so those after the
-- lock of the conversation see its members and messages as they are. Fails with 40001 if a sender has just left, and with 23505 if a key
-- has just been used: then send them again. It locks the conversation first, then the lists of its members and notifications about it,
-- and no row that another conversation locks.
CREATE OR REPLACE FUNCTION send_messages(conversation uuid, ids uuid[], senders uuid[], names text[], bodies text[], keys text[])
RETURNS TABLE (id uuid, sequence int, created_at timestamptz) LANGUAGE plpgsql AS $$
-- Edition 7
#variable_conflict use_column
DECLARE
  total int := cardinality(ids);
  places bigint[];
  newest int;
  at timestamptz;
  active_before timestamptz;
  hour timestamptz;
  conversation_title text;
  everybody uuid[];
  hearers uuid[];
BEGIN
  -- Turns off the trigger that does for statements of release 1.0.0 what this function does itself.
  PERFORM set_config('plumbline.moves_positions', 'on', true);
  -- Whoever may not send here takes no lock. OFFSET 0 makes a look-up of each key: PostgreSQL expects few messages in a conversation,
  -- and would read all of them. The last subquery finds the row before this message, or an earlier one after a wait.
  UPDATE conversations AS c SET last_sequence = last_sequence + total, last_message_at = clock_after(last_sequence)
    WHERE c.id = conversation AND deleted_at IS NULL AND NOT EXISTS (
      SELECT FROM unnest(senders, keys) AS given (sender, key)
      WHERE NOT EXISTS (SELECT FROM members WHERE conversation_id = conversation AND user_id = sender)
        OR EXISTS (SELECT FROM messages WHERE conversation_id = conversation AND sender_id = sender AND idempotency_key = key OFFSET 0))
    RETURNING last_sequence, last_message_at, c.title,
      coalesce((SELECT before.last_message_at FROM conversations before WHERE before.id = conversation), c.created_at)
    INTO newest, at, conversation_title, active_before;
  IF NOT FOUND THEN
    places := array(
      SELECT n FROM unnest(senders, keys) WITH ORDINALITY AS given (sender, key, n)
      WHERE EXISTS (SELECT FROM members WHERE conversation_id = conversation AND user_id = sender)
        AND NOT EXISTS (SELECT FROM messages WHERE conversation_id = conversation AND sender_id = sender AND idempotency_key = key)
      ORDER BY n);
    IF cardinality(places) BETWEEN 1 AND total - 1 THEN
      RETURN QUERY SELECT sent.* FROM
        (SELECT array_agg(ids[n]) AS i, array_agg(senders[n]) AS s, array_agg(names[n]) AS na, array_agg(bodies[n]) AS b,
          array_agg(keys[n]) AS k FROM unnest(places) AS n) AS allowed, send_messages(conversation, i, s, na, b, k) AS sent;
    END IF;
    RETURN;
  END IF;
  -- `hearers` is null if all have muted the conversation: then it notifies nobody.
  SELECT array_agg(user_id), array_agg(user_id) FILTER (WHERE muted_at IS NULL) INTO everybody, hearers
    FROM members WHERE conversation_id = conversation;
  IF (senders <@ everybody) IS NOT TRUE THEN RAISE EXCEPTION 'A sender is no longer a member.' USING ERRCODE = '40001'; END IF;
  RETURN QUERY INSERT INTO messages (id, conversation_id, sequence, sender_id, body, idempotency_key, created_at)
    SELECT m.id, conversation, newest - total + m.place, m.sender, m.body, m.key, at
    FROM unnest(ids, senders, bodies, keys) WITH ORDINALITY AS m (id, sender, body, key, place)
    RETURNING id, sequence, created_at;
  hour := date_trunc('hour', at, 'UTC');
  IF active_before < hour THEN
    UPDATE listed_conversations SET active_hour = hour WHERE conversation_id = conversation AND active_hour <> hour
      AND user_id = ANY (everybody);
  END IF;
  IF EXISTS (SELECT FROM webhook_endpoints WHERE owner_id = ANY (everybody)) THEN
    PERFORM tell_endpoints(everybody, 'message.created', array(
      SELECT jsonb_build_object('conversation_id', conversation, 'message_id', ids[p], 'sequence', newest - total + p)
      FROM generate_subscripts(ids, 1) AS p), at);
  END IF;
  -- A sender has read what is before the own message, so only those after it count. Who has sent the last one is not notified.
  PERFORM read_conversation(senders, conversation::text);
  hearers := array_remove(hearers, senders[total]);
  PERFORM add_notifications(hearers, 'message.created', senders[total], names[total], conversation_title, bodies[total], NULL,
    conversation::text, 'message', ids[total]::text, format('/conversations/%s/messages/%s', conversation, ids[total]), at,
    CASE WHEN total > 1 THEN array(
      SELECT total - coalesce((SELECT max(p) FROM generate_subscripts(senders, 1) AS p WHERE senders[p] = h), 0)
      FROM unnest(hearers) WITH ORDINALITY AS given (h, place) ORDER BY place) END);
END $$;
