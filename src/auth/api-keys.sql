-- part: is_valid
revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())

-- name: findApiKeys :many
-- In SQL because most requests of a client that is back after a while begin with it.
SELECT k.id, k.user_id, u.display_name AS "display_name!", k.scopes AS "scopes!", k.secret_hash, k.expires_at, k.revoked_at
FROM api_keys k JOIN people u ON u.id = k.user_id WHERE k.id = ANY ((SELECT :ids::text[])::text[]);

-- name: lockApiKey :one
-- Keeps a key that works from being revoked before the transaction ends.
SELECT id FROM api_keys WHERE id = :id AND {{is_valid}} FOR SHARE;

-- name: shortenApiKey :one
-- Ends a key that works after a time at the latest. Null if there is no such key, or if it doesn't work any more.
UPDATE api_keys SET expires_at = least(expires_at, now() + make_interval(secs => :grace_seconds))
WHERE id = :id AND {{is_valid}}
RETURNING user_id, scopes AS "scopes!", expires_at AS "expires_at!";

-- name: expireApiKey :one
-- Sets when a key stops working: at an instant, or now.
UPDATE api_keys SET expires_at = coalesce(:at?, now())
WHERE id = :id AND {{is_valid}}
RETURNING expires_at AS "expires_at!";
