-- Notifies users for a process of the previous release, which has a whole title. Remove it with the next release.
CREATE OR REPLACE FUNCTION notify_users(recipients uuid[], kind text, title text, body text, actor_id uuid, subject_id text,
  resource_type text, resource_id text, resource_href text, at timestamptz DEFAULT clock_timestamp(), events int[] DEFAULT NULL)
RETURNS void LANGUAGE plpgsql AS $$
-- Edition 4
BEGIN
  PERFORM add_notifications(recipients, kind, actor_id, NULL, NULL, body, NULL, subject_id, resource_type, resource_id, resource_href, at,
    events, title);
END $$;
