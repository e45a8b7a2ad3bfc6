import type { Tables } from "../database/table.ts";
import { removeRateLimitsOf } from "./store.ts";

export const tables = {
  rate_limits: { metadata: ["key"], erase: ({ db }, { id }) => removeRateLimitsOf(db, id) },
} satisfies Tables;
