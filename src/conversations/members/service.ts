import type { Input } from "../../contract/contract.ts";
import { transaction, type Db, type Tx } from "../../database/client.ts";
import { purge } from "../../database/purge.ts";
import type { ErasedUser } from "../../database/table.ts";
import { Failure, notFound, orNotFound } from "../../failure.ts";
import type { JobQueue } from "../../jobs/jobs.ts";
import { findUnknownUsers } from "../../auth/users.ts";
import { findConversation, lockConversation, markDeleted } from "../conversations/store.ts";
import { removeConversation, type RemovalDeps } from "../jobs.ts";
import * as store from "./store.ts";
import { BY_JOINING, type FindMemberRow as MemberRow } from "./store.ts";

const MEMBERS_MAX = 100;

/** Returns the membership of a user. Throws `not_found` for an unknown conversation, and otherwise `not_a_member`. */
export async function requireMember(tx: Tx, conversationId: string, userId: string): Promise<MemberRow> {
  const member = await store.findMember(tx, { conversationId, userId });
  if (member !== null) return member;
  orNotFound(await findConversation(tx, { id: conversationId }), "conversation");
  throw new Failure("not_a_member", "You are not a member of this conversation.");
}

/** The same before a change. Locks the conversation, so that its members do not change until the transaction ends. */
async function requireMemberAndLock(tx: Tx, conversationId: string, userId: string): Promise<MemberRow> {
  if (!(await lockConversation(tx, { id: conversationId }))) throw notFound("conversation");
  return requireMember(tx, conversationId, userId);
}

/** The same for changes by the owner only. */
export async function requireOwnerAndLock(tx: Tx, conversationId: string, userId: string): Promise<MemberRow> {
  const member = await requireMemberAndLock(tx, conversationId, userId);
  if (member.role !== "owner") throw notTheOwner();
  return member;
}

const notTheOwner = () => new Failure("not_the_owner", "Only the owner can change a conversation or its other members.");

/** Adds a user, unless it is already a member. The user of the request must be the owner. */
export function addMember(
  db: Db,
  { principal, path: { conversationId, user_id: userId } }: Input<"putMember">,
): Promise<{ member: MemberRow; added: boolean }> {
  return transaction(db, async (tx) => {
    await requireOwnerAndLock(tx, conversationId, principal.userId);
    const current = await store.findMember(tx, { conversationId, userId });
    if (current !== null && current.name !== null) return { member: current, added: false };
    if ((await findUnknownUsers(tx, [userId])).size > 0) {
      throw new Failure("unknown_user", "The user does not exist.", {
        errors: [{ in: "path", pointer: "/user_id", code: "unknown_user", detail: "user_id is not the id of a user." }],
      });
    }
    const conversation = (await findConversation(tx, { id: conversationId }))!;
    if (conversation.memberCount >= MEMBERS_MAX)
      throw new Failure("conversation_full", `The conversation already has ${MEMBERS_MAX} members.`);
    await store.insertMember(tx, conversation, userId);
    await store.notifyMember(tx, { conversationId, userId, actorId: principal.userId, title: conversation.title });
    return { member: (await store.findMember(tx, { conversationId, userId }))!, added: true };
  });
}

/** Makes a member the owner instead of the user, the owner until now. Returns the new owner. */
export function transferOwnership(
  db: Db,
  { principal, path: { conversationId, user_id: userId } }: Input<"updateMember">,
): Promise<MemberRow> {
  return transaction(db, async (tx) => {
    const owner = await requireOwnerAndLock(tx, conversationId, principal.userId);
    const successor = orNotFound(await store.findMember(tx, { conversationId, userId }), "member");
    // A deleted user, whom a job has not removed yet, could not act as the owner.
    if (successor.name === null) throw notFound("member");
    if (successor.userId === owner.userId) return owner;
    // In this order, because an index refuses a second owner.
    await store.setRole(tx, owner, "member");
    await store.setRole(tx, successor, "owner");
    return { ...successor, role: "owner" };
  });
}

/** Turns the notifications about messages in a conversation off or on for a member. */
export async function setMuted(tx: Tx, { principal, path }: Input<"putMute" | "deleteMute">, isMuted: boolean): Promise<void> {
  const { conversationId } = path;
  const { userId } = principal;
  await requireMember(tx, conversationId, userId);
  await store.setMuted(tx, { conversationId, userId, isMuted });
}

/**
 * Removes a member. The user must be this member or the owner. If the owner leaves, the member that joined first becomes the owner. If the
 * last member leaves, the conversation is deleted.
 */
export function removeMember(db: Db, queue: JobQueue, { principal, path }: Input<"deleteMember">): Promise<void> {
  const { userId: callerId } = principal;
  const { conversationId, user_id: userId } = path;
  return transaction(db, async (tx) => {
    const caller = await requireMemberAndLock(tx, conversationId, callerId);
    if (callerId !== userId && caller.role !== "owner") throw notTheOwner();
    await leave(tx, queue, orNotFound(await store.findMember(tx, { conversationId, userId }), "member"));
  });
}

/**
 * Removes a deleted user from a batch of conversations, and erases the user from the dependents of these and of former conversations. Returns
 * the number of conversations.
 */
export async function leaveConversations(
  deps: RemovalDeps,
  user: ErasedUser,
  signal: AbortSignal,
  batch: number,
): Promise<number> {
  const { db, queue, dependents } = deps;
  const { id: userId } = user;
  const ids = await store.findConversationsOf(db, { userId, batch });
  for (const { id } of ids) {
    await transaction(db, async (tx) => {
      const leaving = (await lockConversation(tx, { id })) ? await store.findMember(tx, { conversationId: id, userId }) : null;
      if (leaving !== null) await leave(tx, queue, leaving);
    });
    // With the lock of the conversation, because a message locks the same notifications in another order.
    const erase = (most: number) =>
      transaction(db, async (tx) => {
        await lockConversation(tx, { id });
        return dependents.eraseFrom(tx, "conversations", id, user, most);
      });
    await purge(erase, { signal });
    await store.forgetFormerMember(db, userId, id);
  }
  return ids.length;
}

async function leave(tx: Tx, queue: JobQueue, { conversationId, userId, role }: MemberRow): Promise<void> {
  await store.deleteMember(tx, conversationId, userId);
  const all = { order: BY_JOINING, direction: "asc", position: undefined, take: MEMBERS_MAX } as const;
  const members = await store.findMembers(tx, all, { conversationId });
  // A deleted member could not act as the owner.
  const successor = members.find((it) => it.name !== null) ?? members[0];
  if (successor === undefined) {
    await markDeleted(tx, { id: conversationId });
    await queue.enqueue(tx, removeConversation, { conversationId });
  } else if (role === "owner") await store.setRole(tx, successor, "owner");
}
