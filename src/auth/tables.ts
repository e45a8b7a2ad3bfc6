import type { Tables } from "../database/table.ts";

export const tables = {
  users: { place: "reference", users: { id: "stays" }, written: ["display_name"], technical: ["issuer", "subject"] },
  api_keys: {
    users: { user_id: "cascade" },
    technical: ["id", "scopes"],
    leftOut: { secret_hash: "a secret of the service: the hash of an API key" },
  },
} satisfies Tables;
