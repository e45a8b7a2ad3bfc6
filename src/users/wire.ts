import type { Schemas } from "../contract/contract.ts";

/**
 * A user beside what they wrote or did. `name` is the name that statements read in the same moment: null for a user who was deleted,
 * or whose row is gone.
 */
export const toUserSummary = (id: string, name: string | null): Schemas["UserSummary"] => ({
  id,
  display_name: name,
  deleted: name === null,
});
