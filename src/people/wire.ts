import type { FindUserRow as UserRow } from "#generated/sql/people.ts";
import type { Schemas } from "../contract/contract.ts";

export const toUser = (row: UserRow): Schemas["User"] => ({
  id: row.id,
  display_name: row.displayName,
  deleted: false,
  created_at: row.createdAt,
});

/** What is left of a user: the id that the client has sent. */
export const toDeletedUser = (id: string): Schemas["User"] => ({ id, display_name: null, deleted: true, created_at: null });
