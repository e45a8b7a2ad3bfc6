// Generated: do not edit, run `npm run generate`. From src/auth/users.sql.

import { affectedRows, one } from "../../../src/database/statement.ts";

export type FindDisplayNameOfParameters = {
  readonly id: string;
};
export type FindDisplayNameOfRow = {
  readonly displayName: string;
};
/** The name of a user. In SQL because each GET of the account reads it. */
export const findDisplayNameOf = one<FindDisplayNameOfParameters, FindDisplayNameOfRow>({
  name: "find_display_name_of",
  text: `SELECT display_name AS "display_name!" FROM people WHERE id = $1`,
  values: (it) => [it.id],
  columns: ["varchar"],
  row: (it) => ({ displayName: it[0] }) as FindDisplayNameOfRow,
});

export type SetDisplayNameParameters = {
  readonly displayName: string;
  readonly id: string;
};
export const setDisplayName = affectedRows<SetDisplayNameParameters>({
  name: "set_display_name",
  text: `UPDATE users SET display_name = $1 WHERE id = $2 AND deleted_at IS NULL`,
  values: (it) => [it.displayName, it.id],
});
