-- Whether the server of a notification has not yet assigned a transaction id. On a cluster (Citus), the coordinator evaluates what depends
-- on no column, and its ids are others; on a row, a statement may call only immutable functions. This one is declared IMMUTABLE although it
-- is not: its argument is a column, so that PostgreSQL calls it for each row.
CREATE OR REPLACE FUNCTION is_unassigned(id xid8) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
-- Edition 1
BEGIN
  RETURN id >= pg_snapshot_xmax(pg_current_snapshot());
END $$;
