/** The user who has what must stay when its user is deleted: the numbers of messages, and short codes that are never reused. */
export const NOBODY = "00000000-0000-7000-8000-000000000000";
export const NAME_OF_NOBODY = "A deleted user";
/** The text of a message whose sender was deleted. */
export const DELETED_TEXT = "This message was deleted.";
