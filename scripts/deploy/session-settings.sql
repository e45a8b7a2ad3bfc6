-- The settings of every session. Behind PgBouncer, the service can't set them itself, because the next transaction may run in
-- another session. PostgreSQL runs this file once, in the new database. `statement_timeout` is DATABASE_STATEMENT_TIMEOUT_SECONDS,
-- and `lock_timeout` half of it.
DO $$
BEGIN
  EXECUTE format('ALTER DATABASE %I SET timezone = %L', current_database(), 'UTC');
  EXECUTE format('ALTER DATABASE %I SET statement_timeout = %L', current_database(), '10s');
  EXECUTE format('ALTER DATABASE %I SET lock_timeout = %L', current_database(), '5s');
  EXECUTE format('ALTER DATABASE %I SET idle_in_transaction_session_timeout = %L', current_database(), '10s');
  EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation = %L', current_database(), 'read committed');
END
$$;
