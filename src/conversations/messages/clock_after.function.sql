-- The time of the database, read after the column of a row, and so after the lock of the row. On a cluster (Citus), a statement may call
-- only immutable functions on a row. This one is declared IMMUTABLE although it is not: its argument is a column, so that PostgreSQL calls
-- it for each row.
CREATE OR REPLACE FUNCTION clock_after(number int) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE AS $$
-- Edition 1
BEGIN
  RETURN clock_timestamp();
END $$;
