-- Delays some ready deliveries to paused endpoints until their pause ends, except those that ignore it, and returns how many. In a loop, because
-- one statement for all endpoints gets a plan that reads everything when there are many.
CREATE OR REPLACE FUNCTION delay_paused(endpoints uuid[], owners uuid[], untils timestamptz[], most int)
RETURNS int LANGUAGE plpgsql AS $$
-- Edition 1
#variable_conflict use_column
DECLARE
  delayed int := 0;
  changed int;
BEGIN
  FOR i IN 1..cardinality(endpoints) LOOP
    UPDATE webhook_deliveries SET next_attempt_at = NULL, delayed_until = untils[i]
      WHERE owner_id = owners[i] AND next_attempt_at IS NOT NULL AND NOT ignores_pause AND id = ANY (ARRAY(
        -- By the endpoint alone: with its owner, the planner would read all deliveries of a user.
        SELECT id FROM webhook_deliveries WHERE endpoint_id = endpoints[i] AND next_attempt_at IS NOT NULL AND NOT ignores_pause
        ORDER BY next_attempt_at LIMIT most - delayed));
    GET DIAGNOSTICS changed = ROW_COUNT;
    delayed := delayed + changed;
    EXIT WHEN delayed >= most;
  END LOOP;
  RETURN delayed;
END $$;
