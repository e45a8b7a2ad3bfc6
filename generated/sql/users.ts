// Generated: do not edit, run `npm run generate`. From src/users/store.sql.

import { many, one } from "../../src/database/statement.ts";

export type FindUserParameters = {
  readonly id: string;
};
export type FindUserRow = {
  readonly id: string;
  readonly displayName: string;
  readonly createdAt: string;
};
/** A user who is not deleted. */
export const findUser = one<FindUserParameters, FindUserRow>({
  name: "find_user",
  text: `SELECT id AS "id!", display_name AS "display_name!", created_at AS "created_at!" FROM people WHERE id = $1`,
  values: (it) => [it.id],
  columns: ["uuid", "varchar", "timestamptz"],
  row: (it) => ({ id: it[0], displayName: it[1], createdAt: it[2] }) as FindUserRow,
});

export type FindUsersByNameParameters = {
  readonly beginning: string;
  readonly most: number;
};
export type FindUsersByNameRow = {
  readonly id: string;
  readonly displayName: string;
  readonly createdAt: string;
};
/** The first users whose names begin with a text, compared by `name_search_key`. It reads a range of an index in byte order, because LIKE
 * needs a pattern that the planner knows. A text of fewer than two characters finds no user: accents alone would match all names. */
export const findUsersByName = many<FindUsersByNameParameters, FindUsersByNameRow>({
  name: "find_users_by_name",
  text: `SELECT id AS "id!", display_name AS "display_name!", created_at AS "created_at!" FROM people
WHERE length(name_search_key($1)) >= 2
  AND name_search_key(display_name) COLLATE "C" >= name_search_key($1)
  AND name_search_key(display_name) COLLATE "C" < name_search_key($1) || chr(1114111)
ORDER BY name_search_key(display_name) COLLATE "C", id LIMIT $2`,
  values: (it) => [it.beginning, it.most],
  columns: ["uuid", "varchar", "timestamptz"],
  row: (it) => ({ id: it[0], displayName: it[1], createdAt: it[2] }) as FindUsersByNameRow,
});
