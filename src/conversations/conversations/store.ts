import { insertConversation as insert } from "#generated/sql/conversations/conversations.ts";
import type { Tx } from "../../database/client.ts";
import { keyedInsert } from "../../idempotency/store.ts";

export {
  eraseCreator,
  findConversation,
  findConversations,
  findOverdue,
  lockConversation,
  markDeleted,
  removeDeleted,
  type FindConversationRow as ConversationRow,
} from "#generated/sql/conversations/conversations.ts";

/** Inserts a conversation with its members, and notifies all but its creator. Inserts nothing if one of them is not a user. */
export const insertConversation = keyedInsert(insert);

export async function isDeleted(tx: Tx, id: string): Promise<boolean> {
  return (await tx.conversation.count({ where: { id, deletedAt: { not: null } } })) === 1;
}
