-- The names of users, in the order of their ids. A user who is unknown or deleted has null, as in the view `people`, which only the
-- coordinator of a cluster (Citus) has. A statement that reads `users` runs on one node, where it can't call functions that ask others, so
-- this is a function. It is not STABLE: it reads what was committed during a wait, when `plumbline database distribute` moves users
-- to another table.
CREATE OR REPLACE FUNCTION names_of(ids uuid[]) RETURNS text[] LANGUAGE plpgsql AS $$
-- Edition 4
BEGIN
  RETURN ARRAY(SELECT (SELECT display_name FROM users u WHERE u.id = input.id AND u.deleted_at IS NULL)
    FROM unnest(ids) WITH ORDINALITY AS input (id, position) ORDER BY position);
END $$;
