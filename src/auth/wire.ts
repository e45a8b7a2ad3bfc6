import type { Schemas } from "../contract/contract.ts";

/** The placeholder owner of rows that outlive a deleted user: the numbers of messages, and short codes that are never reused. */
export const DELETED_USER_ID = "00000000-0000-7000-8000-000000000000";
export const DELETED_USER_NAME = "A deleted user";
/** The text of a message whose sender was deleted. */
export const DELETED_TEXT = "This message was deleted.";

/** The summary of a user in other resources. `name` is null for a deleted user. */
export const toUserSummary = (id: string, name: string | null): Schemas["UserSummary"] => ({
  id,
  display_name: name,
  deleted: name === null,
});
