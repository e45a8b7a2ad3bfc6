-- name: countRequests :many
-- In SQL because every write waits for it. The order of the keys keeps two processes from a deadlock.
INSERT INTO rate_limits AS r (key, points, expire)
SELECT key, points, (extract(epoch FROM statement_timestamp()) * 1000)::bigint + window_seconds * 1000::bigint
FROM unnest((SELECT :keys::text[]), (SELECT :points::int[]), (SELECT :windows_seconds::int[])) AS input (key, points, window_seconds)
ORDER BY key
ON CONFLICT (key) DO UPDATE SET
  points = excluded.points
    + CASE WHEN r.expire > (extract(epoch FROM statement_timestamp()) * 1000)::bigint THEN r.points ELSE 0 END,
  expire = CASE WHEN r.expire > (extract(epoch FROM statement_timestamp()) * 1000)::bigint THEN r.expire ELSE excluded.expire END
RETURNING key, points, expire - (extract(epoch FROM statement_timestamp()) * 1000)::bigint AS "left_ms!";

-- name: purgeRateLimits :execrows
-- In batches, because the library would use one long statement.
DELETE FROM rate_limits WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM rate_limits WHERE expire < :now_ms ORDER BY expire LIMIT :batch FOR UPDATE SKIP LOCKED));
