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

export type FindUnreadMessageParameters = {
  readonly userId: string;
  readonly conversationId: string;
};
export type FindUnreadMessageRow = {
  readonly id: string;
};
/** The message that the unread notification of a conversation is about: the newest one that the user was told of. */
export const findUnreadMessage = one<FindUnreadMessageParameters, FindUnreadMessageRow>({
  name: "find_unread_message",
  text: `SELECT resource_id AS id FROM notifications
WHERE user_id = $1 AND subject_id = $2 AND kind = 'message.created' AND read_at IS NULL`,
  values: (it) => [it.userId, it.conversationId],
  row: (it) => ({ id: it[0] }) as FindUnreadMessageRow,
});

export type MarkConversationReadParameters = {
  readonly userId: string;
  readonly conversationId: string;
  readonly messageId: string | null;
};
/** Marks the notifications about a conversation as read: that of being added, and that of messages if it is still about this one. If a
 * newer message was being counted meanwhile, PostgreSQL looks at the new row, and it stays unread. */
export const markConversationRead = affectedRows<MarkConversationReadParameters>({
  name: "mark_conversation_read",
  text: `UPDATE notifications SET read_at = greatest(now(), updated_at), archived_at = NULL
WHERE user_id = $1 AND subject_id = $2 AND read_at IS NULL
  AND (kind = 'conversation.member_added' OR kind = 'message.created' AND resource_id = $3)`,
  values: (it) => [it.userId, it.conversationId, it.messageId],
});
