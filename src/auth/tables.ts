import type { Tables } from "../database/table.ts";

export const tables = {
  // Other tables refer to it, and only a new user writes it.
  users: { distribution: "reference", users: { id: "stays" }, userContent: ["display_name"], metadata: ["issuer", "subject"] },
  // On the coordinator: read for authentication, and no other table refers to it.
  api_keys: {
    users: { user_id: "cascade" },
    metadata: ["id", "scopes"],
    excluded: { secret_hash: "a secret of the service: the hash of an API key" },
  },
} satisfies Tables;
