import type { Schemas } from "../../contract/contract.ts";
import type { FindMemberRow as MemberRow } from "./store.ts";

/** Maps each field explicitly, so that a new column is never sent by accident. */
export function toMember(row: MemberRow): Schemas["Member"] {
  return {
    user_id: row.userId,
    display_name: row.displayName,
    role: row.role as Schemas["MemberRole"],
    joined_at: row.joinedAt,
  };
}
