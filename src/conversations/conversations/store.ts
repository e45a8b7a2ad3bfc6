import type { Conversation } from "#generated/prisma/client.ts";
import type { Tx } from "../../database/client.ts";
import { keysetInSql, type CreationWindow } from "../../database/keyset.ts";

export type ConversationRow = Omit<Conversation, "lastSequence" | "membersVersion" | "deletedAt">;

type NewConversation = Pick<ConversationRow, "id" | "title" | "createdById">;

export async function insertConversation(tx: Tx, conversation: NewConversation): Promise<void> {
  await tx.conversation.create({ data: conversation, select: { id: true } });
}

/** Finds a conversation that is not deleted. The rows of a deleted one exist until a job removes them. */
export function findConversation(tx: Tx, id: string): Promise<ConversationRow | null> {
  return tx.conversation.findUnique({ where: { id, deletedAt: null } });
}

/** A window of a user's conversations. Members have the creation time of their conversation, so an index has this order. */
export function findConversations(tx: Tx, userId: string, window: CreationWindow): Promise<ConversationRow[]> {
  const { andAfter, orderAndLimit } = keysetInSql(window, ["conversation_created_at", "conversation_id"]);
  return tx.$queryRaw<ConversationRow[]>`
    SELECT c.id, c.title, c.created_by AS "createdById", c.last_message_at AS "lastMessageAt", c.member_count AS "memberCount",
      c.created_at AS "createdAt"
    FROM (
      SELECT conversation_id, conversation_created_at FROM members WHERE user_id = ${userId}::uuid ${andAfter} ${orderAndLimit}
    ) AS listed JOIN conversations c ON c.id = listed.conversation_id ${orderAndLimit}`;
}

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
