-- Goes through the endpoints with deliveries that wait, in the order of their ids, behind `after`, and tells for how long the oldest one has
-- been due; null if none is, or if nothing is sent to the endpoint now. It goes through no more than `most` endpoints, and looks at one
-- delivery of each, however many there are. In a loop, because a cluster has no recursive queries.
CREATE OR REPLACE FUNCTION due_endpoints(after uuid, most int)
RETURNS TABLE (id uuid, owner_id uuid, is_slow boolean, due_seconds float8) LANGUAGE plpgsql AS $$
-- Edition 1
#variable_conflict use_column
DECLARE
  found_id uuid := after;
  next_at timestamptz;
BEGIN
  FOR step IN 1..most LOOP
    SELECT endpoint_id, next_attempt_at INTO found_id, next_at FROM webhook_deliveries
      WHERE endpoint_id > found_id AND next_attempt_at IS NOT NULL ORDER BY endpoint_id, next_attempt_at LIMIT 1;
    EXIT WHEN NOT FOUND;
    RETURN QUERY SELECT e.id, e.owner_id, e.is_slow OR e.failing_since IS NOT NULL, CASE
        WHEN coalesce(e.leased_until <= clock_timestamp(), true) AND (e.disabled_because IS NOT NULL
          OR next_at <= clock_timestamp() AND coalesce(e.resume_at <= clock_timestamp(), true))
        THEN greatest(0, extract(epoch FROM clock_timestamp() - greatest(next_at, e.resume_at)))::float8 END
      FROM webhook_endpoints e WHERE e.id = found_id;
    -- The deliveries to an endpoint that was deleted meanwhile are being removed.
    IF NOT FOUND THEN RETURN QUERY SELECT found_id, NULL::uuid, false, NULL::float8; END IF;
  END LOOP;
END $$;
