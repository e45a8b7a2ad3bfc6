-- name: findUser :one
-- A user who is not deleted.
SELECT id AS "id!", display_name AS "display_name!", created_at AS "created_at!" FROM people WHERE id = :id;

-- name: findUsersByName :many
-- The first users whose names begin with a text, compared by `name_search_key`. It reads a range of an index in byte order, because LIKE
-- needs a pattern that the planner knows. A text of fewer than two characters finds no user: accents alone would match all names.
SELECT id AS "id!", display_name AS "display_name!", created_at AS "created_at!" FROM people
WHERE length(name_search_key(:beginning)) >= 2
  AND name_search_key(display_name) COLLATE "C" >= name_search_key(:beginning)
  AND name_search_key(display_name) COLLATE "C" < name_search_key(:beginning) || chr(1114111)
ORDER BY name_search_key(display_name) COLLATE "C", id LIMIT :most;
