import type { Schemas } from "../../contract/contract.ts";
import { NAME_OF_NOBODY } from "../../auth/wire.ts";
import type { FindMemberRow as MemberRow } from "./store.ts";

export function toMember(row: MemberRow): Schemas["Member"] {
  return {
    user_id: row.userId,
    // Not null, because 1.0.0 promises a name here.
    display_name: row.name ?? NAME_OF_NOBODY,
    deleted: row.name === null,
    role: row.role as Schemas["MemberRole"],
    joined_at: row.joinedAt,
  };
}
