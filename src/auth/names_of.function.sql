-- The names of users, in the order of their ids; null for those that are not there, or deleted, as in the view `people`, which the other
-- nodes of a cluster (Citus) don't have. A function, because a statement that reads `users` itself runs on one node, where it can't call
-- functions that ask others. It is not STABLE, so that it sees what was committed while it waited: `npm run distribute` puts the users
-- into another table.
CREATE OR REPLACE FUNCTION names_of(ids uuid[]) RETURNS text[] LANGUAGE plpgsql AS $$
-- Edition 3
BEGIN
  RETURN ARRAY(SELECT (SELECT display_name FROM users u WHERE u.id = given.id AND u.deleted_at IS NULL)
    FROM unnest(ids) WITH ORDINALITY AS given (id, place) ORDER BY place);
END $$;
