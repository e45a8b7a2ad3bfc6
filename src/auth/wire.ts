import type { Schemas } from "../contract/contract.ts";

/** The user who has what must stay when its user is deleted: the numbers of messages, and short codes that are never reused. */
export const NOBODY = "00000000-0000-7000-8000-000000000000";
export const NAME_OF_NOBODY = "A deleted user";
/** The text of a message whose sender was deleted. */
export const DELETED_TEXT = "This message was deleted.";

/**
 * A user beside what they wrote or did. `name` is the name that statements read in the same moment: null for a user who was deleted,
 * or whose row is gone.
 */
export const toUserSummary = (id: string, name: string | null): Schemas["UserSummary"] => ({
  id,
  display_name: name,
  deleted: name === null,
});
