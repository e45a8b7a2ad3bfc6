-- The time of the database, read after a column of the row that a statement changes, and so after it has locked the row. A statement of
-- a cluster (Citus) may call only immutable functions on a row. This one says that it is one: it takes a column, so that PostgreSQL
-- calls it for each row and keeps no result.
CREATE OR REPLACE FUNCTION clock_after(number int) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE AS $$
-- Edition 1
BEGIN
  RETURN clock_timestamp();
END $$;
