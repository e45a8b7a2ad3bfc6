import type { Tx } from "../database/client.ts";
import { keyset, keysetInSql, type CreationWindow, type Order, type Window } from "../database/keyset.ts";

export type ConversationRow = {
  readonly id: string;
  readonly title: string | null;
  readonly createdById: string;
  readonly lastMessageAt: Date | null;
  readonly createdAt: Date;
  readonly memberCount: number;
};
export type MemberRow = {
  readonly userId: string;
  readonly role: string;
  readonly joinedAt: Date;
  readonly user: { readonly displayName: string };
};

/** A conversation whose last member has left is there for nobody, though its rows take a while to go. */
const STANDING = { deletedAt: null } as const;
const WITH_NAME = { include: { user: { select: { displayName: true } } } } as const;

export async function insertConversation(
  tx: Tx,
  conversation: { id: string; title: string | null; createdById: string },
): Promise<void> {
  await tx.conversation.create({ data: conversation, select: { id: true } });
}

export async function conversationExists(tx: Tx, id: string): Promise<boolean> {
  return (await tx.conversation.findUnique({ where: { id, ...STANDING }, select: { id: true } })) !== null;
}

export function findConversation(tx: Tx, id: string): Promise<ConversationRow | null> {
  return tx.conversation.findUnique({ where: { id, ...STANDING } });
}

/** A window of those that a user is a member of. Each membership knows when its conversation was created, so an index has them in order. */
export function findConversationsOf(tx: Tx, userId: string, window: CreationWindow): Promise<ConversationRow[]> {
  const { andAfter, orderAndLimit } = keysetInSql(window, ["conversation_created_at", "conversation_id"]);
  return tx.$queryRaw<ConversationRow[]>`
    SELECT c.id, c.title, c.created_by AS "createdById", c.last_message_at AS "lastMessageAt", c.member_count AS "memberCount",
      c.created_at AS "createdAt"
    FROM (
      SELECT conversation_id, conversation_created_at FROM members WHERE user_id = ${userId}::uuid ${andAfter} ${orderAndLimit}
    ) AS listed JOIN conversations c ON c.id = listed.conversation_id ${orderAndLimit}`;
}

/** Makes everybody who changes the members or sends a message wait for each other; false when there is no such conversation. */
export async function lockConversation(tx: Tx, id: string): Promise<boolean> {
  const locked = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM conversations WHERE id = ${id}::uuid AND deleted_at IS NULL FOR UPDATE`;
  return locked.length === 1;
}

export async function insertMembers(
  tx: Tx,
  conversationId: string,
  members: readonly { userId: string; role: "owner" | "member" }[],
): Promise<void> {
  await tx.member.createMany({ data: members.map((it) => ({ conversationId, ...it })) });
}

export function findMember(tx: Tx, conversationId: string, userId: string): Promise<MemberRow | null> {
  return tx.member.findUnique({ where: { conversationId_userId: { conversationId, userId } }, ...WITH_NAME });
}

/** The order of joining. */
export const BY_JOINING = { joinedAt: "instant", userId: "id" } as const satisfies Order<string>;

export function findMembers(tx: Tx, conversationId: string, window: Window<keyof typeof BY_JOINING>): Promise<MemberRow[]> {
  return tx.member.findMany({ ...keyset(window, { conversationId }), ...WITH_NAME });
}

export async function findMemberIds(tx: Tx, conversationId: string): Promise<string[]> {
  const rows = await tx.member.findMany({
    where: { conversationId },
    select: { userId: true },
    orderBy: [{ joinedAt: "asc" }, { userId: "asc" }],
  });
  return rows.map((it) => it.userId);
}

export async function removeMember(tx: Tx, conversationId: string, userId: string): Promise<void> {
  await tx.member.delete({ where: { conversationId_userId: { conversationId, userId } }, select: { userId: true } });
}

export async function makeOwner(tx: Tx, conversationId: string, userId: string): Promise<void> {
  await tx.member.update({
    where: { conversationId_userId: { conversationId, userId } },
    data: { role: "owner" },
    select: { userId: true },
  });
}

/** Takes a conversation from everybody at once; a job removes its messages. */
export async function markDeleted(tx: Tx, id: string): Promise<void> {
  await tx.$executeRaw`UPDATE conversations SET deleted_at = now() WHERE id = ${id}::uuid`;
}

/** The sequence of the newest message of a deleted conversation; 0 where there is none. */
export async function newestSequence(tx: Tx, id: string): Promise<number> {
  const [row] = await tx.$queryRaw<{ newest: number | null }[]>`
    SELECT (SELECT max(sequence) FROM messages WHERE conversation_id = ${id}::uuid) AS newest
    FROM conversations WHERE id = ${id}::uuid AND deleted_at IS NOT NULL`;
  return row?.newest ?? 0;
}

/** Removes the messages after one sequence and up to another. */
export async function removeMessages(tx: Tx, id: string, after: number, upTo: number): Promise<void> {
  await tx.$executeRaw`
    DELETE FROM messages WHERE conversation_id = ${id}::uuid AND sequence <= ${upTo} AND sequence > ${after}`;
}

/** Removes the row of a deleted conversation. */
export async function removeDeleted(tx: Tx, id: string): Promise<void> {
  await tx.$executeRaw`DELETE FROM conversations WHERE id = ${id}::uuid AND deleted_at IS NOT NULL`;
}

/** Deleted conversations that should have been removed by now, as far as a batch. */
export async function findOverdue(tx: Tx): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM conversations WHERE deleted_at < now() - interval '1 day' ORDER BY deleted_at LIMIT 100`;
  return rows.map(({ id }) => id);
}
