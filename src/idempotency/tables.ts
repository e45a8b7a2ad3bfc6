import type { Tables } from "../database/table.ts";

export const tables = {
  idempotency_keys: {
    // A request names its user.
    place: { shard: "user_id", group: "user" },
    users: { user_id: "removed" },
    technical: ["operation_id", "key", "headers", "body"],
    leftOut: { fingerprint: "a hash of a request, which tells nothing about the user" },
  },
} satisfies Tables;
