-- Tells whether a user has seen all events of a notification, whose newest one was written by `xact_id` and was at `updated_at`.
--   snapshot, until  what the list showed that the user has seen: committed transactions, and a time that none of them is after
--   until_here       the same time, or a minute earlier on another server, whose clock can differ
-- Transaction ids go back on a server that is promoted or restored, so later events there can have those of the snapshot, but not its
-- time. An id that this server has not assigned yet is from the server of a dump, or of an event that is being committed right now:
-- only its time tells, with a minute for the commit. PostgreSQL writes this expression in place of the call, so it can use an index.
CREATE OR REPLACE FUNCTION was_seen(created_at timestamptz, updated_at timestamptz, xact_id xid8,
  snapshot text, until timestamptz, until_here timestamptz)
RETURNS boolean LANGUAGE sql STABLE AS $$
-- Edition 2
SELECT created_at <= until AND updated_at <= until_here AND (pg_visible_in_snapshot(xact_id, snapshot::pg_snapshot)
  OR (updated_at <= until - interval '1 minute' AND is_unassigned(xact_id)))
$$;
