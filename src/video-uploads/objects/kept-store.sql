-- name: insertKept :execrows
-- Keeps an object for some time, by the clock of the database. If it is kept already, the later end holds.
INSERT INTO kept_objects (key, owner_id, size_bytes, keep_until)
VALUES (:key, :owner_id, :size_bytes, clock_timestamp() + make_interval(secs => :keep_seconds))
ON CONFLICT (key) DO UPDATE SET keep_until = greatest(kept_objects.keep_until, excluded.keep_until);

-- name: findEnded :many
-- Some of the keys whose time has ended. In random order, so that none that can't be removed holds up the others.
SELECT key FROM kept_objects WHERE keep_until <= now() ORDER BY random() LIMIT :limit;
