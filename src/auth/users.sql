-- name: findDisplayNameOf :one
-- The name of a user. In SQL because each GET of the account reads it.
SELECT display_name AS "display_name!" FROM people WHERE id = :id;

-- name: setDisplayName :execrows
UPDATE users SET display_name = :display_name WHERE id = :id AND deleted_at IS NULL;
