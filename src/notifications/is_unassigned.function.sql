-- Whether the server of a notification has not assigned a transaction id yet. A cluster (Citus) would call what depends on no column on
-- the coordinator, whose ids are others, and may call only immutable functions on a row. This one says that it is one: it takes a column,
-- so that PostgreSQL calls it for each row and keeps no result.
CREATE OR REPLACE FUNCTION is_unassigned(id xid8) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
-- Edition 1
BEGIN
  RETURN id >= pg_snapshot_xmax(pg_current_snapshot());
END $$;
