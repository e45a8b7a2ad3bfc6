-- Stores the transaction id of the node of the notification. On a cluster, the default of the column is the id of the coordinator.
CREATE OR REPLACE FUNCTION stamp_event() RETURNS trigger LANGUAGE plpgsql AS $$
-- Edition 1
BEGIN
  NEW.xact_id := pg_current_xact_id();
  RETURN NEW;
END $$;
