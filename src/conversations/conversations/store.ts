import type { Tx } from "../../database/client.ts";

export * from "#generated/sql/conversations/conversations.ts";
export type {
  FindConversationRow as ConversationRow,
  FindConversationOfRow as ShownConversationRow,
} from "#generated/sql/conversations/conversations.ts";

export async function isDeleted(tx: Tx, id: string): Promise<boolean> {
  return (await tx.conversation.count({ where: { id, deletedAt: { not: null } } })) === 1;
}
