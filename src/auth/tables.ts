import type { Tables } from "../database/table.ts";

export const tables = {
  // Other tables refer to it, and only a new user writes it.
  users: { place: "reference", users: { id: "stays" }, written: ["display_name"], technical: ["issuer", "subject"] },
  // On the coordinator: read for authentication, and no other table refers to it.
  api_keys: {
    users: { user_id: "cascade" },
    technical: ["id", "scopes"],
    leftOut: { secret_hash: "a secret of the service: the hash of an API key" },
  },
} satisfies Tables;
