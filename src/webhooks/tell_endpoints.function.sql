-- Writes events for the endpoints of users, in the transaction of the events, so that both are committed or neither is. An endpoint gets
-- those that it has asked for, each once.
--   data  the ids of each event: its resource is read when the event is sent
-- An event for a paused endpoint is delayed until the pause ends.
CREATE OR REPLACE FUNCTION tell_endpoints(owners uuid[], event text, data jsonb[], at timestamptz)
RETURNS void LANGUAGE plpgsql AS $$
-- Edition 2
#variable_conflict use_column
DECLARE
  id_start text := lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0');
  endpoint_ids uuid[];
  endpoint_owners uuid[];
  pauses timestamptz[];
BEGIN
  SELECT array_agg(id), array_agg(owner_id), array_agg(CASE WHEN failures > 0 AND resume_at > at THEN resume_at END)
    INTO endpoint_ids, endpoint_owners, pauses FROM webhook_endpoints
    WHERE owner_id = ANY (owners) AND disabled_because IS NULL AND event = ANY (events);
  IF endpoint_ids IS NULL THEN RETURN; END IF;
  id_start := left(id_start, 8) || '-' || substr(id_start, 9) || '-7';
  -- Through arrays, because on a cluster the endpoints are on every node, and the deliveries on that of their user.
  INSERT INTO webhook_deliveries (id, owner_id, endpoint_id, event, data, created_at, next_attempt_at, delayed_until, expires_at)
  SELECT (id_start || substr(gen_random_uuid()::text, 16))::uuid, owner, endpoint, tell_endpoints.event, it, at,
    CASE WHEN pause IS NULL THEN at END, pause, at + interval '1 day'
  FROM unnest((SELECT endpoint_owners), (SELECT endpoint_ids), (SELECT pauses)) AS found (owner, endpoint, pause), unnest((SELECT data)) AS it;
END $$;
