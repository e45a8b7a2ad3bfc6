-- name: markUserDeleted :execrows
-- Marks a user as deleted, if there is one. The user then exists for no request.
UPDATE users SET deleted_at = least(deleted_at, now()) WHERE id = :user_id AND id <> :deleted_user_id;

-- name: findDeletedUser :one
SELECT id, display_name, extract(epoch FROM now() - deleted_at)::float8 AS "seconds!" FROM users
WHERE id = :user_id AND deleted_at IS NOT NULL;

-- name: findOverdueUsers :many
-- Deleted users whose data should have been removed by now, at most one batch.
SELECT id FROM users WHERE deleted_at < now() - interval '1 day' AND id <> :deleted_user_id ORDER BY deleted_at LIMIT 100;

-- name: insertDeletedUser :execrows
-- Inserts the owner of rows that outlive their user.
INSERT INTO users (id, display_name, deleted_at) VALUES (:deleted_user_id, :name, now()) ON CONFLICT DO NOTHING;

-- name: askShardsInTurn :one!
-- Holds until the end of the transaction. On a cluster (Citus), a transaction that has asked several shards at once can't change a
-- reference table. PostgreSQL does not know the setting, and ignores it.
SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true) AS "mode!";

-- name: lockUser :execrows
SELECT FROM users WHERE id = :user_id FOR UPDATE;

-- name: removeUser :execrows
DELETE FROM users WHERE id = :user_id AND deleted_at IS NOT NULL;
