-- The names of users, in the order of their ids. A user who is unknown or deleted has null, as in the view `people`, which only the
-- coordinator of a cluster (Citus) has. A statement that reads `users` runs on one node, where it can't call functions that ask others, so
-- this is a function. It is not STABLE: it reads what was committed during a wait, when `plumbline database distribute` moves users
-- to another table. A subquery hides the array from the planner, which otherwise plans the statement again for each call.
CREATE OR REPLACE FUNCTION names_of(ids uuid[]) RETURNS text[] LANGUAGE plpgsql AS $$
-- Edition 5
BEGIN
  RETURN ARRAY(SELECT (SELECT display_name FROM users u WHERE u.id = input.id AND u.deleted_at IS NULL)
    FROM unnest((SELECT ids)) WITH ORDINALITY AS input (id, position) ORDER BY position);
END $$;
