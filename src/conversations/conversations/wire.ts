import type { Schemas } from "../../contract/contract.ts";
import type { ConversationRow } from "./store.ts";

/** Maps each field explicitly, so that a new column is never sent by accident. */
export function toConversation(row: ConversationRow): Schemas["Conversation"] {
  return {
    id: row.id,
    title: row.title,
    created_by: row.createdBy,
    member_count: row.memberCount,
    last_message_at: row.lastMessageAt,
    created_at: row.createdAt,
  };
}
