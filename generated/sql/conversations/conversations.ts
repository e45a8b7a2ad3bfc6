// Generated: do not edit, run `npm run generate`. From src/conversations/conversations/store.sql.

import { page } from "../../../src/database/keyset.ts";
import { affectedRows, many, one } from "../../../src/database/statement.ts";

export type InsertConversationParameters = {
  readonly memberIds: readonly string[];
  readonly id: string;
  readonly title: string | null;
  readonly createdBy: string;
  readonly key: string | null;
  readonly userId: string | null;
  readonly operationId: string | null;
  readonly fingerprint: Uint8Array | null;
  readonly status: number | null;
  readonly headers: string | null;
  readonly response: string | null;
  readonly placeholder: string | null;
  readonly notice: string;
};
export type InsertConversationRow = {
  readonly createdAt: string;
};
/** Inserts a conversation with its members, with its key if there is one, and notifies all members but its creator. Inserts nothing if
 * one of them is not a user. In SQL because Prisma would need a transaction of nine round trips. The creator is the owner, and the
 * first to have joined: the owner leads a list of members, and whoever joined first becomes the owner after them. */
export const insertConversation = one<InsertConversationParameters, InsertConversationRow>({
  name: "insert_conversation",
  text: `WITH given AS (SELECT user_id FROM unnest((SELECT $1::uuid[])) AS given (user_id)),
opened AS (
  INSERT INTO conversations (id, title, created_by) SELECT $2::uuid, $3, $4::uuid
  WHERE CASE
    WHEN EXISTS (SELECT FROM given WHERE NOT EXISTS (SELECT FROM users WHERE users.id = given.user_id AND deleted_at IS NULL)) THEN false
    WHEN $5::text IS NULL THEN true
    ELSE claim_key($6, $7, $5, $8, $9, $10, $11, $12) END
  RETURNING id, created_by, created_at),
joined AS (
  INSERT INTO members (conversation_id, user_id, role, joined_at)
  SELECT id, created_by, 'owner', created_at FROM opened
  UNION ALL SELECT id, user_id, 'member', created_at + interval '1 ms' FROM opened, given WHERE user_id <> created_by
  RETURNING user_id, role)
SELECT created_at FROM opened, notify_users(
  array(SELECT user_id FROM joined WHERE role = 'member'), 'conversation.member_added',
  (SELECT display_name FROM users WHERE users.id = created_by) || $13, NULL, created_by,
  id::text, 'conversation', id::text, '/conversations/' || id::text)`,
  values: (it) => [it.memberIds, it.id, it.title, it.createdBy, it.key, it.userId, it.operationId, it.fingerprint, it.status, it.headers, it.response, it.placeholder, it.notice],
  row: (it) => ({ createdAt: it[0] }) as InsertConversationRow,
});

export type FindConversationParameters = {
  readonly id: string;
};
export type FindConversationRow = {
  readonly id: string;
  readonly title: string | null;
  readonly createdBy: string;
  readonly memberCount: number;
  readonly lastMessageAt: string | null;
  readonly createdAt: string;
};
/** Finds a conversation that is not deleted. In SQL so that all reads of conversations have the same row. */
export const findConversation = one<FindConversationParameters, FindConversationRow>({
  name: "find_conversation",
  text: `SELECT id, title, created_by, member_count, last_message_at, created_at FROM conversations WHERE id = $1 AND deleted_at IS NULL`,
  values: (it) => [it.id],
  row: (it) => ({ id: it[0], title: it[1], createdBy: it[2], memberCount: it[3], lastMessageAt: it[4], createdAt: it[5] }) as FindConversationRow,
});

export type FindConversationsParameters = {
  readonly userId: string;
  readonly createdAt: string;
  readonly id: string;
  readonly limit: number;
};
export type FindConversationsRow = {
  readonly id: string;
  readonly title: string | null;
  readonly createdBy: string;
  readonly memberCount: number;
  readonly lastMessageAt: string | null;
  readonly createdAt: string;
};
/** A window of a user's conversations. Members have the creation time of their conversation, so an index has this order. In SQL
 * because Prisma cannot sort conversations by a column of their members. */
export const findConversations = page<FindConversationsParameters, FindConversationsRow>({
  name: "find_conversations",
  text: {
    asc: `SELECT c.id, c.title, c.created_by, c.member_count, c.last_message_at, c.created_at FROM (
    SELECT conversation_id, conversation_created_at FROM members
    WHERE user_id = $1 AND (conversation_created_at, conversation_id) > ($2, $3)
    ORDER BY conversation_created_at ASC, conversation_id ASC LIMIT (SELECT $4::int)
  ) AS listed JOIN conversations c ON c.id = listed.conversation_id
ORDER BY conversation_created_at ASC, conversation_id ASC LIMIT (SELECT $4::int)`,
    desc: `SELECT c.id, c.title, c.created_by, c.member_count, c.last_message_at, c.created_at FROM (
    SELECT conversation_id, conversation_created_at FROM members
    WHERE user_id = $1 AND (conversation_created_at, conversation_id) < ($2, $3)
    ORDER BY conversation_created_at DESC, conversation_id DESC LIMIT (SELECT $4::int)
  ) AS listed JOIN conversations c ON c.id = listed.conversation_id
ORDER BY conversation_created_at DESC, conversation_id DESC LIMIT (SELECT $4::int)`,
  },
  values: (it) => [it.userId, it.createdAt, it.id, it.limit],
  row: (it) => ({ id: it[0], title: it[1], createdBy: it[2], memberCount: it[3], lastMessageAt: it[4], createdAt: it[5] }) as FindConversationsRow,
});

export type LockConversationParameters = {
  readonly id: string;
};
/** Locks a conversation against changes to its members and new messages. 0 if it does not exist. */
export const lockConversation = affectedRows<LockConversationParameters>({
  name: "lock_conversation",
  text: `SELECT FROM conversations WHERE id = $1 AND deleted_at IS NULL FOR UPDATE`,
  values: (it) => [it.id],
});

export type MarkDeletedParameters = {
  readonly id: string;
};
/** Marks a conversation as deleted, so that no user can access it. A job removes its rows. */
export const markDeleted = affectedRows<MarkDeletedParameters>({
  name: "mark_deleted",
  text: `UPDATE conversations SET deleted_at = now() WHERE id = $1`,
  values: (it) => [it.id],
});

export type RemoveDeletedParameters = {
  readonly id: string;
};
/** Removes the row of a deleted conversation. */
export const removeDeleted = affectedRows<RemoveDeletedParameters>({
  name: "remove_deleted",
  text: `DELETE FROM conversations WHERE id = $1 AND deleted_at IS NOT NULL`,
  values: (it) => [it.id],
});

export type FindOverdueRow = {
  readonly id: string;
};
/** Deleted conversations whose rows should have been removed by now, at most one batch. */
export const findOverdue = many<void, FindOverdueRow>({
  name: "find_overdue",
  text: `SELECT id FROM conversations WHERE deleted_at < now() - interval '1 day' ORDER BY deleted_at LIMIT 100`,
  values: () => [],
  row: (it) => ({ id: it[0] }) as FindOverdueRow,
});

export type EraseCreatorParameters = {
  readonly nobody: string;
  readonly userId: string;
  readonly batch: number;
};
/** Gives conversations that others are still in another creator. */
export const eraseCreator = affectedRows<EraseCreatorParameters>({
  name: "erase_creator",
  text: `UPDATE conversations SET created_by = $1
WHERE id IN (SELECT id FROM conversations WHERE created_by = $2 LIMIT $3)`,
  values: (it) => [it.nobody, it.userId, it.batch],
});
