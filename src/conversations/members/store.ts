import type { Tx } from "../../database/client.ts";
import type { Order } from "../../pagination/keyset.ts";
import { listMember, readConversation } from "#generated/sql/conversations/members.ts";
import type { ConversationRow } from "../conversations/store.ts";

export * from "#generated/sql/conversations/members.ts";

/** Inserts a member. Unread notifications of an earlier membership become read. */
export async function insertMember(tx: Tx, conversation: ConversationRow, userId: string): Promise<void> {
  const { id: conversationId, createdAt, lastMessageAt } = conversation;
  await tx.member.createMany({ data: { conversationId, userId, role: "member" } });
  await listMember(tx, { userId, conversationId, createdAt, at: lastMessageAt ?? createdAt });
  await readConversation(tx, { userId, conversationId });
}

/** By the time of joining. */
export const BY_JOINING = { joinedAt: "instant", userId: "id" } as const satisfies Order<string>;

/** Deletes a member. Notifications about the conversation become read, because the user can't open it any more. */
export async function deleteMember(tx: Tx, conversationId: string, userId: string): Promise<void> {
  await tx.member.deleteMany({ where: { conversationId, userId } });
  await tx.listedConversation.deleteMany({ where: { userId, conversationId } });
  await readConversation(tx, { userId, conversationId });
}

type Membership = { readonly conversationId: string; readonly userId: string };

export async function setRole(tx: Tx, { conversationId, userId }: Membership, role: "owner" | "member"): Promise<void> {
  await tx.member.updateMany({ where: { conversationId, userId }, data: { role } });
}

/** Removes the record of a former membership. */
export async function forgetFormerMember(tx: Tx, userId: string, conversationId: string): Promise<void> {
  await tx.formerMember.deleteMany({ where: { userId, conversationId } });
}
