-- Which server this is, and on which timeline: a copy that is promoted or restored begins another timeline, and the server of a dump
-- is another cluster. Some providers don't permit to read its identifier.
CREATE FUNCTION server_identity() RETURNS text LANGUAGE plpgsql STABLE AS $$ BEGIN
  RETURN left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) || '/' || (SELECT system_identifier FROM pg_control_system());
EXCEPTION WHEN insufficient_privilege THEN
  RETURN left(pg_walfile_name(pg_current_wal_insert_lsn()), 8);
END $$;
