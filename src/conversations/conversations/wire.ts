import type { Schemas } from "../../contract/contract.ts";
import { DELETED_TEXT, toUserSummary } from "../../auth/wire.ts";
import type { ConversationRow, ShownConversationRow } from "./store.ts";

/** The fields that are the same for all members. */
const commonFields = (row: ConversationRow) => ({
  id: row.id,
  title: row.title,
  created_by: row.createdBy,
  member_count: row.memberCount,
  last_message_at: row.lastMessageAt,
  created_at: row.createdAt,
});

const WITHOUT_MESSAGES = { last_message: null, last_read_sequence: 0, unread_count: 0, muted: false } as const;

/** A new conversation, for its creator. */
export const toNewConversation = (row: ConversationRow): Schemas["Conversation"] => ({
  ...commonFields(row),
  ...WITHOUT_MESSAGES,
});

/** Adds what release 1.2.0 doesn't store of a new conversation. Its keys end after three days, so this can go with 1.4.0. */
export const completed = (stored: Schemas["Conversation"]): Schemas["Conversation"] => ({ ...stored, ...WITHOUT_MESSAGES });

/** A conversation for a member. */
export const toConversation = (row: ShownConversationRow): Schemas["Conversation"] => ({
  ...commonFields(row),
  last_message: toLastMessage(row),
  last_read_sequence: row.lastReadSequence,
  unread_count: row.lastSequence - row.lastReadSequence,
  muted: row.isMuted,
});

function toLastMessage({
  lastSequence,
  excerpt,
  senderId,
  senderName,
  sentAt,
}: ShownConversationRow): Schemas["LastMessage"] | null {
  if (excerpt === null || senderId === null || sentAt === null) return null;
  const sender = toUserSummary(senderId, senderName);
  return { sequence: lastSequence, sender, created_at: sentAt, excerpt: sender.deleted ? DELETED_TEXT : excerpt };
}
