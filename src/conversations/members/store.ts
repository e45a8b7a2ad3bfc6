import type { NotificationKind } from "#generated/operations.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import type { Tx } from "../../database/client.ts";
import { keyset, type Order, type Window } from "../../database/keyset.ts";
import { rowStatement } from "../../database/statement.ts";

const WITH_NAME = { include: { user: { select: { displayName: true } } } } as const;
export type MemberRow = Prisma.MemberGetPayload<typeof WITH_NAME>;

export async function insertMember(tx: Tx, conversationId: string, userId: string): Promise<void> {
  await tx.member.createMany({ data: { conversationId, userId, role: "member" } });
}

/** Notifies a user who has been added to a conversation. */
export async function notifyMember(
  tx: Tx,
  conversationId: string,
  userId: string,
  actorId: string,
  title: string,
): Promise<void> {
  const kind: NotificationKind = "conversation.member_added";
  await tx.$executeRaw`
    SELECT notify_users(ARRAY[${userId}::uuid], ${kind}, ${title}, NULL, ${actorId}::uuid, ${conversationId},
      'conversation', ${conversationId}, ${`/conversations/${conversationId}`})`;
}

export function findMember(tx: Tx, conversationId: string, userId: string): Promise<MemberRow | null> {
  return tx.member.findUnique({ where: { conversationId_userId: { conversationId, userId } }, ...WITH_NAME });
}

/** In SQL because every read of a conversation from a replica asks the primary first. */
export const findRole = rowStatement({
  name: "find_role",
  takes: ["uuid", "uuid"],
  gives: { role: "text" },
  text: "SELECT role FROM members WHERE conversation_id = $1::uuid AND user_id = $2::uuid",
});

/** In the order in which the members joined. */
export const BY_JOINING = { joinedAt: "instant", userId: "id" } as const satisfies Order<string>;

export function findMembers(tx: Tx, conversationId: string, window: Window<keyof typeof BY_JOINING>): Promise<MemberRow[]> {
  return tx.member.findMany({ ...keyset(window, { conversationId }), ...WITH_NAME });
}

export async function deleteMember(tx: Tx, conversationId: string, userId: string): Promise<void> {
  await tx.member.deleteMany({ where: { conversationId, userId } });
}

/** Removes some of those who once were members of a conversation, and returns their number. */
export function removeFormerMembers(tx: Tx, conversationId: string): Promise<number> {
  return tx.$executeRaw`
    DELETE FROM former_members WHERE (user_id, conversation_id) IN (
      SELECT user_id, conversation_id FROM former_members WHERE conversation_id = ${conversationId}::uuid LIMIT 1000)`;
}

export async function makeOwner(tx: Tx, conversationId: string, userId: string): Promise<void> {
  await tx.member.updateMany({ where: { conversationId, userId }, data: { role: "owner" } });
}
