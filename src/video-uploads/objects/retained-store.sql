-- name: insertRetained :execrows
-- Retains an object for some time, by the clock of the database. Of two ends, the later one holds.
INSERT INTO kept_objects (key, owner_id, size_bytes, keep_until)
VALUES (:key, :owner_id, :size_bytes, clock_timestamp() + make_interval(secs => :keep_seconds))
ON CONFLICT (key) DO UPDATE SET keep_until = greatest(kept_objects.keep_until, excluded.keep_until);

-- name: findExpired :many
-- Some of the keys whose retention has ended. The order is random, so that a key that can't be removed does not delay the others.
SELECT key FROM kept_objects WHERE keep_until <= now() ORDER BY random() LIMIT :limit;
