import type { Prisma } from "#generated/prisma/client.ts";
import type { Tx } from "../../database/client.ts";
import { keyset, type Order, type Window } from "../../database/keyset.ts";

export { findConversationsOf, findRole, notifyMember, removeFormerMembers } from "#generated/sql/conversations/members.ts";

const WITH_NAME = { include: { user: { select: { displayName: true } } } } as const;
export type MemberRow = Prisma.MemberGetPayload<typeof WITH_NAME>;

export async function insertMember(tx: Tx, conversationId: string, userId: string): Promise<void> {
  await tx.member.createMany({ data: { conversationId, userId, role: "member" } });
}

export function findMember(tx: Tx, conversationId: string, userId: string): Promise<MemberRow | null> {
  return tx.member.findUnique({ where: { conversationId_userId: { conversationId, userId } }, ...WITH_NAME });
}

/** In the order in which the members joined. */
export const BY_JOINING = { joinedAt: "instant", userId: "id" } as const satisfies Order<string>;

export function findMembers(tx: Tx, conversationId: string, window: Window<keyof typeof BY_JOINING>): Promise<MemberRow[]> {
  return tx.member.findMany({ ...keyset(window, { conversationId }), ...WITH_NAME });
}

export async function deleteMember(tx: Tx, conversationId: string, userId: string): Promise<void> {
  await tx.member.deleteMany({ where: { conversationId, userId } });
}

export async function makeOwner(tx: Tx, conversationId: string, userId: string): Promise<void> {
  await tx.member.updateMany({ where: { conversationId, userId }, data: { role: "owner" } });
}

/** Removes the last trace of a membership. */
export async function forgetFormerMember(tx: Tx, userId: string, conversationId: string): Promise<void> {
  await tx.formerMember.deleteMany({ where: { userId, conversationId } });
}
