import type { Tx } from "../../database/client.ts";
import { BY_CREATION, listStatement } from "../../database/keyset.ts";
import { columnsOf, rowStatement, type RowOf } from "../../database/statement.ts";
import { keyedStatement } from "../../idempotency/store.ts";

const CONVERSATION = {
  id: "uuid",
  title: "text?",
  createdBy: "uuid",
  memberCount: "int",
  lastMessageAt: "instant?",
  createdAt: "instant",
} as const;
export type ConversationRow = RowOf<typeof CONVERSATION>;

/**
 * Inserts a conversation with its members, and notifies all but its creator. Inserts nothing if one of them is not a user. In SQL
 * because Prisma would need a transaction of nine round trips. The creator is the owner, and the first to have joined: the owner
 * leads a list of members, and whoever joined first becomes the owner after them.
 */
export const insertConversation = keyedStatement({
  name: "insert_conversation",
  takes: { id: "uuid", title: "text?", createdBy: "uuid", memberIds: "uuid[]", notice: "text" },
  text(value, claimed) {
    const members = `unnest(${value("memberIds")}) AS given (user_id)`;
    return `WITH ${claimed(`NOT EXISTS (
        SELECT FROM ${members} WHERE NOT EXISTS (SELECT FROM users WHERE users.id = given.user_id AND deleted_at IS NULL))`)},
      opened AS (
        INSERT INTO conversations (id, title, created_by) SELECT ${value("id")}, ${value("title")}, ${value("createdBy")} FROM claimed
        RETURNING id, created_by, created_at),
      joined AS (
        INSERT INTO members (conversation_id, user_id, role, joined_at)
        SELECT id, created_by, 'owner', created_at FROM opened
        UNION ALL SELECT id, user_id, 'member', created_at + interval '1 ms' FROM opened, ${members} WHERE user_id <> created_by
        RETURNING user_id, role)
      SELECT created_at FROM opened, notify_users(
        array(SELECT user_id FROM joined WHERE role = 'member'), 'conversation.member_added', ${value("notice")}, NULL, created_by,
        id::text, 'conversation', id::text, '/conversations/' || id::text)`;
  },
});

/** Finds a conversation that is not deleted. In SQL so that all reads of conversations have the same row. */
export const findConversation = rowStatement({
  name: "find_conversation",
  takes: ["uuid"],
  gives: CONVERSATION,
  text: `SELECT ${columnsOf(CONVERSATION)} FROM conversations WHERE id = $1::uuid AND deleted_at IS NULL`,
});

/**
 * A window of a user's conversations. Members have the creation time of their conversation, so an index has this order. In SQL
 * because Prisma cannot sort conversations by a column of their members.
 */
export const findConversations = listStatement({
  name: "find_conversations",
  takes: ["uuid"],
  gives: CONVERSATION,
  order: BY_CREATION,
  columns: ["conversation_created_at", "conversation_id"],
  text: ({ andAfter, orderAndLimit }) => `SELECT ${columnsOf(CONVERSATION, "c")} FROM (
      SELECT conversation_id, conversation_created_at FROM members WHERE user_id = $1::uuid ${andAfter} ${orderAndLimit}
    ) AS listed JOIN conversations c ON c.id = listed.conversation_id ${orderAndLimit}`,
});

/** Locks a conversation against changes to its members and new messages. Returns false if it does not exist. */
export async function lockConversation(tx: Tx, id: string): Promise<boolean> {
  const locked = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM conversations WHERE id = ${id}::uuid AND deleted_at IS NULL FOR UPDATE`;
  return locked.length === 1;
}

/** Marks a conversation as deleted, so that no user can access it. A job removes its rows. */
export async function markDeleted(tx: Tx, id: string): Promise<void> {
  await tx.$executeRaw`UPDATE conversations SET deleted_at = now() WHERE id = ${id}::uuid`;
}

export async function isDeleted(tx: Tx, id: string): Promise<boolean> {
  return (await tx.conversation.count({ where: { id, deletedAt: { not: null } } })) === 1;
}

/** Removes the row of a deleted conversation. */
export async function removeDeleted(tx: Tx, id: string): Promise<void> {
  await tx.$executeRaw`DELETE FROM conversations WHERE id = ${id}::uuid AND deleted_at IS NOT NULL`;
}

/** Deleted conversations whose rows should have been removed by now, at most one batch. */
export async function findOverdue(tx: Tx): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM conversations WHERE deleted_at < now() - interval '1 day' ORDER BY deleted_at LIMIT 100`;
  return rows.map(({ id }) => id);
}
