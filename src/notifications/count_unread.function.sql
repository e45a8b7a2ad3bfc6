-- Counts unread notifications for a process of the previous release. Remove it with the next release.
CREATE OR REPLACE FUNCTION count_unread(recipient uuid, most int) RETURNS int LANGUAGE plpgsql STABLE AS $$
-- Edition 2
DECLARE
  kept_since timestamptz := now() - interval '90 days';
BEGIN
  RETURN (SELECT count(*) FROM (
    (SELECT 1 FROM notifications WHERE user_id = recipient AND read_at IS NULL AND created_at > kept_since
     ORDER BY created_at DESC LIMIT (SELECT most))
    UNION ALL
    (SELECT 1 FROM notifications WHERE user_id = recipient AND read_at IS NULL AND created_at <= kept_since AND updated_at > kept_since
     ORDER BY created_at DESC LIMIT (SELECT most))
    LIMIT (SELECT most)) AS counted);
END $$;
