import type { Prisma } from "#generated/prisma/client.ts";
import type { Tx } from "../../database/client.ts";
import { keyset, type Order, type Window } from "../../database/keyset.ts";

const WITH_NAME = { include: { user: { select: { displayName: true } } } } as const;
export type MemberRow = Prisma.MemberGetPayload<typeof WITH_NAME>;

export async function insertMembers(
  tx: Tx,
  conversationId: string,
  userIds: readonly string[],
  role: "owner" | "member",
): Promise<void> {
  await tx.member.createMany({ data: userIds.map((userId) => ({ conversationId, userId, role })) });
}

export function findMember(tx: Tx, conversationId: string, userId: string): Promise<MemberRow | null> {
  return tx.member.findUnique({ where: { conversationId_userId: { conversationId, userId } }, ...WITH_NAME });
}

/** The order of joining. */
export const BY_JOINING = { joinedAt: "instant", userId: "id" } as const satisfies Order<string>;

export function findMembers(tx: Tx, conversationId: string, window: Window<keyof typeof BY_JOINING>): Promise<MemberRow[]> {
  return tx.member.findMany({ ...keyset(window, { conversationId }), ...WITH_NAME });
}

export function findLongestMember(tx: Tx, conversationId: string): Promise<{ readonly userId: string } | null> {
  return tx.member.findFirst({
    where: { conversationId },
    select: { userId: true },
    orderBy: [{ joinedAt: "asc" }, { userId: "asc" }],
  });
}

export async function deleteMember(tx: Tx, conversationId: string, userId: string): Promise<void> {
  await tx.member.delete({ where: { conversationId_userId: { conversationId, userId } }, select: { userId: true } });
}

export async function makeOwner(tx: Tx, conversationId: string, userId: string): Promise<void> {
  await tx.member.update({
    where: { conversationId_userId: { conversationId, userId } },
    data: { role: "owner" },
    select: { userId: true },
  });
}
