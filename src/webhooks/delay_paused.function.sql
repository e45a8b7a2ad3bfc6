-- Delays some ready deliveries to paused endpoints until their pause ends, and returns their number. Those that ignore pauses stay ready.
-- In a loop, because one statement for many endpoints gets a plan that reads everything.
CREATE OR REPLACE FUNCTION delay_paused(endpoints uuid[], owners uuid[], untils timestamptz[], most int)
RETURNS int LANGUAGE plpgsql
-- A plan that was cached for a small table would read the whole table, or sort all ready deliveries, at each step until ANALYZE.
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
-- Edition 3
#variable_conflict use_column
DECLARE
  delayed int := 0;
  ready uuid[];
  ready_id uuid;
BEGIN
  FOR i IN 1..cardinality(endpoints) LOOP
    ready := ARRAY(SELECT id FROM webhook_deliveries WHERE endpoint_id = endpoints[i] AND next_attempt_at IS NOT NULL AND NOT ignores_pause
      ORDER BY next_attempt_at LIMIT most - delayed);
    FOREACH ready_id IN ARRAY ready LOOP
      -- One row at a time, without next_attempt_at IS NOT NULL: by a list of ids or by that index, a cached plan reads all of the user.
      UPDATE webhook_deliveries SET next_attempt_at = NULL, delayed_until = untils[i]
        WHERE owner_id = owners[i] AND id = ready_id AND num_nonnulls(next_attempt_at) = 1 AND NOT ignores_pause;
      IF FOUND THEN delayed := delayed + 1; END IF;
    END LOOP;
    EXIT WHEN delayed >= most;
  END LOOP;
  RETURN delayed;
END $$;
