import type { Schemas } from "../../contract/contract.ts";
import { DELETED_TEXT, toUserSummary } from "../../auth/wire.ts";
import type { MessageRow } from "./store.ts";

export function toMessage(row: MessageRow): Schemas["Message"] {
  return {
    id: row.id,
    conversation_id: row.conversationId,
    sender_id: row.senderId,
    sequence: row.sequence,
    // A job replaces the body later.
    body: row.senderName === null ? DELETED_TEXT : row.body,
    created_at: row.createdAt,
    sender: toUserSummary(row.senderId, row.senderName),
  };
}
