import type { Tables } from "../database/table.ts";
import { removeRateLimitsOf } from "./store.ts";

export const tables = {
  // On the coordinator: small and unlogged, and one statement counts many keys.
  rate_limits: { metadata: ["key"], erase: ({ db }, { id }) => removeRateLimitsOf(db, id) },
} satisfies Tables;
