import type { Tables } from "../database/table.ts";

export const tables = {
  idempotency_keys: {
    // A request names its user.
    distribution: { shard: "user_id", group: "user" },
    users: { user_id: "removed" },
    metadata: ["operation_id", "key", "headers"],
    excluded: {
      fingerprint: "a hash of a request, which tells nothing about the user",
      body: "a response of the last 72 hours, which can have a secret or links; the other tables have its data",
    },
  },
} satisfies Tables;
