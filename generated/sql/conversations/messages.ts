// Generated: do not edit, run `npm run generate`. From src/conversations/messages/store.sql.

import { page } from "../../../src/pagination/keyset.ts";
import { affectedRows, many, one } from "../../../src/database/statement.ts";

export type FindMessageParameters = {
  readonly conversationId: string;
  readonly id: string;
};
export type FindMessageRow = {
  readonly id: string;
  readonly conversationId: string;
  readonly senderId: string;
  readonly sequence: number;
  readonly body: string;
  readonly createdAt: string;
  readonly senderName: string | null;
};
/** In SQL so that all reads of messages have the same row. */
export const findMessage = one<FindMessageParameters, FindMessageRow>({
  name: "find_message",
  text: `SELECT id, conversation_id, sender_id, sequence, body, created_at,
  (SELECT display_name FROM people WHERE people.id = sender_id) AS sender_name
FROM messages WHERE conversation_id = $1 AND id = $2`,
  values: (it) => [it.conversationId, it.id],
  columns: ["uuid", "uuid", "uuid", "int4", "text", "timestamptz", "varchar"],
  row: (it) => ({ id: it[0], conversationId: it[1], senderId: it[2], sequence: it[3], body: it[4], createdAt: it[5], senderName: it[6] }) as FindMessageRow,
});

export type FindMessageByKeyParameters = {
  readonly conversationId: string;
  readonly senderId: string;
  readonly idempotencyKey: string;
};
export type FindMessageByKeyRow = {
  readonly id: string;
  readonly conversationId: string;
  readonly senderId: string;
  readonly sequence: number;
  readonly body: string;
  readonly createdAt: string;
  readonly senderName: string | null;
};
/** The message that a sender sent with an idempotency key, if there is one. */
export const findMessageByKey = one<FindMessageByKeyParameters, FindMessageByKeyRow>({
  name: "find_message_by_key",
  text: `SELECT id, conversation_id, sender_id, sequence, body, created_at,
  (SELECT display_name FROM people WHERE people.id = sender_id) AS sender_name
FROM messages
WHERE conversation_id = $1 AND sender_id = $2 AND idempotency_key = $3`,
  values: (it) => [it.conversationId, it.senderId, it.idempotencyKey],
  columns: ["uuid", "uuid", "uuid", "int4", "text", "timestamptz", "varchar"],
  row: (it) => ({ id: it[0], conversationId: it[1], senderId: it[2], sequence: it[3], body: it[4], createdAt: it[5], senderName: it[6] }) as FindMessageByKeyRow,
});

export type FindMessagePageParameters = {
  readonly conversationId: string;
  readonly named: number | null;
  readonly sequence: number;
  readonly limit: number;
  readonly userId: string;
};
export type FindMessagePageRow = {
  readonly lastSequence: number;
  readonly mark: string | null;
  readonly id: string | null;
  readonly conversationId: string | null;
  readonly senderId: string | null;
  readonly sequence: number | null;
  readonly body: string | null;
  readonly createdAt: string | null;
  readonly senderName: string | null;
};
/** The messages of a page, the sequence of the newest message, and the mark of the message with the sequence `named`, if there is one. A
 * page without messages is one row whose `id` is null. There is no row if the user is not a member. In SQL because one statement then
 * reads the membership, the page, whether there are more messages, and whether the cursor is still valid. */
export const findMessagePage = page<FindMessagePageParameters, FindMessagePageRow>({
  name: "find_message_page",
  text: {
    asc: `SELECT c.last_sequence AS "last_sequence!", (
    SELECT right(id::text, 12) FROM messages WHERE conversation_id = $1 AND sequence = $2::int) AS mark,
  page.*
FROM members m JOIN conversations c ON c.id = m.conversation_id LEFT JOIN (
  SELECT id, conversation_id, sender_id, sequence, body, created_at,
  (SELECT display_name FROM people WHERE people.id = sender_id) AS sender_name
  FROM messages
  WHERE conversation_id = $1 AND (sequence) > ($3)
  ORDER BY sequence ASC LIMIT (SELECT $4::int)) AS page ON true
WHERE m.conversation_id = $1 AND m.user_id = $5 ORDER BY page.sequence ASC`,
    desc: `SELECT c.last_sequence AS "last_sequence!", (
    SELECT right(id::text, 12) FROM messages WHERE conversation_id = $1 AND sequence = $2::int) AS mark,
  page.*
FROM members m JOIN conversations c ON c.id = m.conversation_id LEFT JOIN (
  SELECT id, conversation_id, sender_id, sequence, body, created_at,
  (SELECT display_name FROM people WHERE people.id = sender_id) AS sender_name
  FROM messages
  WHERE conversation_id = $1 AND (sequence) < ($3)
  ORDER BY sequence DESC LIMIT (SELECT $4::int)) AS page ON true
WHERE m.conversation_id = $1 AND m.user_id = $5 ORDER BY page.sequence DESC`,
  },
  limit: 4,
  values: (it) => [it.conversationId, it.named, it.sequence, it.limit, it.userId],
  columns: ["int4", "text", "uuid", "uuid", "uuid", "int4", "text", "timestamptz", "varchar"],
  row: (it) => ({ lastSequence: it[0], mark: it[1], id: it[2], conversationId: it[3], senderId: it[4], sequence: it[5], body: it[6], createdAt: it[7], senderName: it[8] }) as FindMessagePageRow,
});

export type SendMessagesParameters = {
  readonly conversationId: string;
  readonly ids: readonly string[];
  readonly senderIds: readonly string[];
  readonly bodies: readonly string[];
  readonly keys: readonly string[];
};
export type SendMessagesRow = {
  readonly id: string;
  readonly sequence: number;
  readonly createdAt: string;
  readonly senderName: string | null;
};
/** The statement has nothing else, so that a cluster runs the function on the node of the conversation. */
export const sendMessages = many<SendMessagesParameters, SendMessagesRow>({
  name: "send_messages",
  text: `SELECT id AS "id!", sequence AS "sequence!", created_at AS "created_at!", sender_name
FROM post_messages($1, $2, $3, $4, $5)`,
  values: (it) => [it.conversationId, it.ids, it.senderIds, it.bodies, it.keys],
  columns: ["uuid", "int4", "timestamptz", "text"],
  row: (it) => ({ id: it[0], sequence: it[1], createdAt: it[2], senderName: it[3] }) as SendMessagesRow,
});

export type FindNewestSequenceParameters = {
  readonly id: string;
};
export type FindNewestSequenceRow = {
  readonly newest: number | null;
};
/** The sequence of the newest message of a deleted conversation, if there is one. */
export const findNewestSequence = one<FindNewestSequenceParameters, FindNewestSequenceRow>({
  name: "find_newest_sequence",
  text: `SELECT (SELECT max(sequence) FROM messages WHERE conversation_id = $1) AS newest
FROM conversations WHERE id = $1 AND deleted_at IS NOT NULL`,
  values: (it) => [it.id],
  columns: ["int4"],
  row: (it) => ({ newest: it[0] }) as FindNewestSequenceRow,
});

export type RemoveMessagesParameters = {
  readonly id: string;
  readonly upTo: number;
  readonly after: number;
};
/** Removes the messages with a sequence above `after`, up to and including `up_to`. */
export const removeMessages = affectedRows<RemoveMessagesParameters>({
  name: "remove_messages",
  text: `DELETE FROM messages WHERE conversation_id = $1 AND sequence <= $2 AND sequence > $3`,
  values: (it) => [it.id, it.upTo, it.after],
});

export type EraseMessagesParameters = {
  readonly deletedUserId: string;
  readonly text: string;
  readonly userId: string;
  readonly batch: number;
};
/** Removes the author, the text and the key of some messages. Their sequences must have no gaps. */
export const eraseMessages = affectedRows<EraseMessagesParameters>({
  name: "erase_messages",
  text: `UPDATE messages SET sender_id = $1, body = $2, idempotency_key = id::text
WHERE (conversation_id, sequence) IN (SELECT conversation_id, sequence FROM messages WHERE sender_id = $3 LIMIT $4)`,
  values: (it) => [it.deletedUserId, it.text, it.userId, it.batch],
});
