-- Whether a user has seen all events of a notification. `xact_id` wrote the newest one, and `updated_at` is its time.
--   snapshot, until  what the list showed: the committed transactions, and a time that is not before any of them
--   until_here       the same time, or a minute earlier on another server, whose clock can differ
-- Transaction ids go back on a server that is promoted or restored. A later event there can have an id of the snapshot, but not its time.
-- An id that this server has not assigned yet is that of another server, or of a commit that is not finished. Then only the time counts,
-- with a minute for the commit. PostgreSQL inlines this expression, so that it can use an index.
CREATE OR REPLACE FUNCTION was_seen(created_at timestamptz, updated_at timestamptz, xact_id xid8,
  snapshot text, until timestamptz, until_here timestamptz)
RETURNS boolean LANGUAGE sql STABLE AS $$
-- Edition 2
SELECT created_at <= until AND updated_at <= until_here AND (pg_visible_in_snapshot(xact_id, snapshot::pg_snapshot)
  OR (updated_at <= until - interval '1 minute' AND is_unassigned(xact_id)))
$$;
