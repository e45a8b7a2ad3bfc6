import type { Tables } from "../database/table.ts";
import { eraseAuditDetails } from "./store.ts";

export const tables = {
  // On the coordinator: written by commands only.
  audit_entries: {
    // An entry outlives its user.
    users: { user_id: "stays" },
    technical: ["action", "details"],
    leftOut: { operator: "about an operator", host: "about an operator" },
    erase: ({ db }, { id }) => eraseAuditDetails(db, id),
  },
} satisfies Tables;
