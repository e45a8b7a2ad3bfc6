-- Finds endpoints with ready deliveries after the id `after`, in the order of their ids. `ready_seconds` is the time since the first of them
-- became ready. A row has no URL if the endpoint is deleted. It reads one delivery of each endpoint, and no delayed ones. In a loop, because
-- a cluster has no recursive queries.
CREATE OR REPLACE FUNCTION ready_endpoints(after uuid, most int)
RETURNS TABLE (id uuid, owner_id uuid, url text, is_disabled boolean, paused_until timestamptz, may_send boolean, ready_seconds float8) LANGUAGE plpgsql
-- A plan that was cached for a small table would read the whole table, or sort all ready deliveries, at each step until ANALYZE.
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
-- Edition 2
#variable_conflict use_column
DECLARE
  found_id uuid := after;
  found_owner uuid;
  ready_at timestamptz;
  ignores boolean;
BEGIN
  FOR step IN 1..most LOOP
    SELECT endpoint_id, owner_id, next_attempt_at, ignores_pause INTO found_id, found_owner, ready_at, ignores FROM webhook_deliveries
      WHERE endpoint_id > found_id AND next_attempt_at IS NOT NULL ORDER BY endpoint_id, next_attempt_at LIMIT 1;
    EXIT WHEN NOT FOUND;
    RETURN QUERY SELECT e.id, e.owner_id, e.url::text, e.disabled_because IS NOT NULL,
      CASE WHEN e.failures > 0 AND e.resume_at > clock_timestamp() THEN e.resume_at END,
      e.disabled_because IS NULL AND (ignores OR e.failures = 0 OR coalesce(e.resume_at <= clock_timestamp(), true)),
      extract(epoch FROM clock_timestamp() - ready_at)::float8 FROM webhook_endpoints e WHERE e.id = found_id;
    IF NOT FOUND THEN RETURN QUERY SELECT found_id, found_owner, NULL::text, false, NULL::timestamptz, false, 0::float8; END IF;
  END LOOP;
END $$;
