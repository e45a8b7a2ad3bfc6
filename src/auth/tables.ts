import type { Tables } from "../database/table.ts";

export const tables = {
  users: { distribution: "reference", users: { id: "stays" }, userContent: ["display_name"], metadata: ["issuer", "subject"] },
  api_keys: {
    users: { user_id: "cascade" },
    metadata: ["id", "scopes"],
    excluded: { secret_hash: "a secret of the service: the hash of an API key" },
  },
} satisfies Tables;
