// Generated: do not edit, run `npm run generate`. From src/conversations/read-position/store.sql.

import { affectedRows, one } from "../../../src/database/statement.ts";

export type MovePositionParameters = {
  readonly sequence: number;
  readonly conversationId: string;
  readonly userId: string;
};
/** Moves the stored read position of a member forwards. 0 if the user is not a member, or if there is no such message yet. */
export const movePosition = affectedRows<MovePositionParameters>({
  name: "move_position",
  text: `UPDATE members SET last_read_sequence = greatest(last_read_sequence, $1::int)
WHERE conversation_id = $2 AND user_id = $3
  AND $1 <= (SELECT last_sequence FROM conversations WHERE id = $2)`,
  values: (it) => [it.sequence, it.conversationId, it.userId],
});

export type LockUnreadMessageParameters = {
  readonly userId: string;
  readonly conversationId: string;
};
export type LockUnreadMessageRow = {
  readonly id: string;
};
/** The message of the unread notification about a conversation: the newest message that notified the user. It locks the notification, so
 * that no other message is counted in it before the transaction ends. */
export const lockUnreadMessage = one<LockUnreadMessageParameters, LockUnreadMessageRow>({
  name: "lock_unread_message",
  text: `SELECT resource_id AS id FROM notifications
WHERE user_id = $1 AND subject_id = $2 AND kind = 'message.created' AND read_at IS NULL FOR NO KEY UPDATE`,
  values: (it) => [it.userId, it.conversationId],
  columns: ["varchar"],
  row: (it) => ({ id: it[0] }) as LockUnreadMessageRow,
});

export type ReadConversationUpToParameters = {
  readonly userId: string;
  readonly conversationId: string;
  readonly messageId: string;
  readonly unread: number;
};
/** Marks the notifications about a conversation as read: one about the membership, and one about messages, which `message_id` has locked.
 * The second one stays unread if `unread` messages up to `message_id` are after the read position; then it counts only these. */
export const readConversationUpTo = affectedRows<ReadConversationUpToParameters>({
  name: "read_conversation_up_to",
  text: `SELECT FROM read_conversation(ARRAY[$1::uuid], $2, $3, $4)`,
  values: (it) => [it.userId, it.conversationId, it.messageId, it.unread],
});
