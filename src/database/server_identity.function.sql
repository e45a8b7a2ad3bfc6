-- The server of a session, and its timeline: a copy that is promoted or restored begins another timeline, and the server of a dump is
-- another cluster. A session keeps the identifier of its cluster, because PostgreSQL reads it from a file. Some providers don't permit that.
CREATE OR REPLACE FUNCTION server_identity() RETURNS text LANGUAGE plpgsql STABLE AS $$
-- Edition 1
DECLARE
  cluster text := current_setting('plumbline.cluster', true);
BEGIN
  -- Without a setting, it is null, and empty if a transaction that set it was rolled back.
  IF cluster IS NULL OR cluster = '' THEN
    BEGIN
      cluster := '/' || (SELECT system_identifier FROM pg_control_system());
    EXCEPTION WHEN insufficient_privilege THEN
      cluster := 'unknown';
    END;
    PERFORM set_config('plumbline.cluster', cluster, false);
  END IF;
  RETURN left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) || CASE WHEN cluster <> 'unknown' THEN cluster ELSE '' END;
END $$;
