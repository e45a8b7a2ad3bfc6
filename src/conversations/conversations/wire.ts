import type { Schemas } from "../../contract/contract.ts";
import { DELETED_TEXT, toUserSummary } from "../../auth/wire.ts";
import type { ConversationRow, ShownConversationRow } from "./store.ts";

/** The fields that all members see alike. They are also those of release 1.0.0. */
export type CommonConversation = Pick<
  Schemas["Conversation"],
  "id" | "title" | "created_by" | "member_count" | "last_message_at" | "created_at"
>;

export const toCommonConversation = (row: ConversationRow): CommonConversation => ({
  id: row.id,
  title: row.title,
  created_by: row.createdBy,
  member_count: row.memberCount,
  last_message_at: row.lastMessageAt,
  created_at: row.createdAt,
});

/** A conversation as its creator sees it first. */
export const asNew = (common: CommonConversation): Schemas["Conversation"] => ({
  ...common,
  last_message: null,
  last_read_sequence: 0,
  unread_count: 0,
  muted: false,
});

/** A conversation as one of its members sees it. */
export const toConversation = (row: ShownConversationRow): Schemas["Conversation"] => ({
  ...toCommonConversation(row),
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
