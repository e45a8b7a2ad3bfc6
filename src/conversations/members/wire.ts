import type { Schemas } from "../../contract/contract.ts";
import { DELETED_USER_NAME } from "../../auth/wire.ts";
import type { FindMemberRow as MemberRow } from "./store.ts";

export function toMember(row: MemberRow): Schemas["Member"] {
  return {
    user_id: row.userId,
    // Not null, because contract 1.0.0 promises a name.
    display_name: row.name ?? DELETED_USER_NAME,
    deleted: row.name === null,
    role: row.role as Schemas["MemberRole"],
    joined_at: row.joinedAt,
  };
}
