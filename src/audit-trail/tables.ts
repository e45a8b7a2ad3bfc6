import type { Tables } from "../database/table.ts";
import { eraseAuditDetails } from "./store.ts";

export const tables = {
  // On the coordinator: written by commands only.
  audit_entries: {
    // An entry is kept after the user is erased.
    users: { user_id: "stays" },
    metadata: ["action", "details"],
    excluded: { operator: "about an operator", host: "about an operator" },
    erase: ({ db }, { id }) => eraseAuditDetails(db, id),
  },
} satisfies Tables;
