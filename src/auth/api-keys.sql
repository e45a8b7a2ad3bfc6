-- part: is_valid
revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())

-- name: findApiKeys :many
-- In SQL because it is on the path of each request whose credential is no longer cached.
SELECT k.id, k.user_id, u.display_name AS "display_name!", k.scopes AS "scopes!", k.secret_hash, k.expires_at, k.revoked_at
FROM api_keys k JOIN people u ON u.id = k.user_id WHERE k.id = ANY ((SELECT :ids::text[])::text[]);

-- name: lockApiKey :one
-- Locks a valid key, so that it can't be revoked before the transaction ends.
SELECT id FROM api_keys WHERE id = :id AND {{is_valid}} FOR SHARE;

-- name: shortenApiKey :one
-- Lets a valid key expire after a grace period at the latest. No row if the key is unknown or no longer valid.
UPDATE api_keys SET expires_at = least(expires_at, now() + make_interval(secs => :grace_seconds))
WHERE id = :id AND {{is_valid}}
RETURNING user_id, scopes AS "scopes!", expires_at AS "expires_at!";

-- name: expireApiKey :one
-- Lets a valid key expire at an instant, or now.
UPDATE api_keys SET expires_at = coalesce(:at?, now())
WHERE id = :id AND {{is_valid}}
RETURNING expires_at AS "expires_at!";
