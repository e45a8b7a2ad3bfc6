import type { Principal, Schemas } from "../contract/contract.ts";
import type { FindUserRow as UserRow } from "#generated/sql/users.ts";

export const toUser = (row: UserRow): Schemas["User"] => ({
  id: row.id,
  display_name: row.displayName,
  deleted: false,
  created_at: row.createdAt,
});

/** The profile of a deleted or unknown user. */
export const toDeletedUser = (id: string): Schemas["User"] => ({ id, display_name: null, deleted: true, created_at: null });

export function toAccount({ userId, scopes, credential: { kind, expiresAt } }: Principal, name: string): Schemas["Account"] {
  return {
    user_id: userId,
    display_name: name,
    scopes: [...scopes].sort(),
    credential: { kind, expires_at: expiresAt?.toISOString() ?? null },
  };
}
