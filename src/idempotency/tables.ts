import type { Tables } from "../database/table.ts";

export const tables = {
  idempotency_keys: {
    // A request names its user.
    distribution: { shard: "user_id", group: "user" },
    users: { user_id: "removed" },
    metadata: ["operation_id", "key", "headers", "body"],
    excluded: { fingerprint: "a hash of a request, which tells nothing about the user" },
  },
} satisfies Tables;
