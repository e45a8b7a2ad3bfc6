-- Writes events for the webhook endpoints of users, in the transaction of the events, so that both are committed or neither is. An endpoint
-- gets each event that it subscribes to once. An event for a paused endpoint is delayed until the pause ends.
--   data  the ids of each event. A worker reads the resource when it sends the event
CREATE OR REPLACE FUNCTION tell_endpoints(owners uuid[], event text, data jsonb[], at timestamptz)
RETURNS void LANGUAGE plpgsql AS $$
-- Edition 3
#variable_conflict use_column
DECLARE
  endpoint_ids uuid[];
  endpoint_owners uuid[];
  pauses timestamptz[];
BEGIN
  SELECT array_agg(id), array_agg(owner_id), array_agg(CASE WHEN failures > 0 AND resume_at > at THEN resume_at END)
    INTO endpoint_ids, endpoint_owners, pauses FROM webhook_endpoints
    WHERE owner_id = ANY (owners) AND disabled_because IS NULL AND event = ANY (events);
  IF endpoint_ids IS NULL THEN RETURN; END IF;
  -- Through arrays, because on a cluster the endpoints are on every node, and the deliveries on that of their user.
  INSERT INTO webhook_deliveries (id, owner_id, endpoint_id, event, data, created_at, next_attempt_at, delayed_until, expires_at)
  SELECT uuid_v7(at), owner, endpoint, tell_endpoints.event, it, at,
    CASE WHEN pause IS NULL THEN at END, pause, at + interval '1 day'
  FROM unnest((SELECT endpoint_owners), (SELECT endpoint_ids), (SELECT pauses)) AS found (owner, endpoint, pause), unnest((SELECT data)) AS it;
END $$;
