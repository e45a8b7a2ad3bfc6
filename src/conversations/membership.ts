import { randomUUIDv7 } from "node:crypto";
import type { Schemas } from "../contract/contract.ts";
import { transaction, type Db, type Tx } from "../database/client.ts";
import { Failure, notFound } from "../failure.ts";
import type { JobQueue } from "../jobs/jobs.ts";
import type { Notify } from "../notifier.ts";
import { removeConversation } from "./jobs.ts";
import {
  conversationExists,
  findConversation,
  findMember,
  findMemberIds,
  insertConversation,
  insertMembers,
  lockConversation,
  makeOwner,
  markDeleted,
  removeMember,
  type ConversationRow,
  type MemberRow,
} from "./store.ts";

const MEMBERS_MAX = 100;

/** Those of the ids that name no user; answered by the users module. */
export type FindUnknownUsers = (tx: Tx, ids: readonly string[]) => Promise<ReadonlySet<string>>;
export type MembershipParts = { readonly notify: Notify; readonly findUnknownUsers: FindUnknownUsers };

/** Everything under a conversation starts here: 404 for one that is not there, 403 for one that is not the caller's. */
export async function requireMember(tx: Tx, conversationId: string, userId: string): Promise<MemberRow> {
  const member = await findMember(tx, conversationId, userId);
  if (member !== null) return member;
  if (!(await conversationExists(tx, conversationId))) throw notFound("conversation");
  throw new Failure("not_a_member", "You are not a member of this conversation.");
}

/** The same for who is going to change something: from here on until the end of the transaction the members stay as they are. */
export async function requireMemberAndLock(tx: Tx, conversationId: string, userId: string): Promise<MemberRow> {
  if (!(await lockConversation(tx, conversationId))) throw notFound("conversation");
  return requireMember(tx, conversationId, userId);
}

/** The conversation, which may have been deleted since the caller was found to be a member. */
export async function readConversation(tx: Tx, id: string): Promise<ConversationRow> {
  const row = await findConversation(tx, id);
  if (row === null) throw notFound("conversation");
  return row;
}

/** A conversation of the caller, who owns it, and the others, who are told. Naming the caller among them is harmless. */
export async function openConversation(
  tx: Tx,
  { notify, findUnknownUsers }: MembershipParts,
  owner: { userId: string; displayName: string },
  request: Schemas["CreateConversationRequest"],
): Promise<ConversationRow> {
  const unknown = await findUnknownUsers(tx, request.member_ids);
  if (unknown.size > 0) {
    const errors = request.member_ids.flatMap((id, index) =>
      unknown.has(id)
        ? [
            {
              in: "body" as const,
              pointer: `/member_ids/${index}`,
              code: "unknown_user" as const,
              detail: `member_ids/${index} is not the id of a user.`,
            },
          ]
        : [],
    );
    throw new Failure(
      "unknown_user",
      errors.length === 1 ? errors[0]!.detail : `${errors.length} of the users named do not exist.`,
      { errors },
    );
  }
  const id = randomUUIDv7();
  const others = request.member_ids.filter((it) => it !== owner.userId);
  await insertConversation(tx, { id, title: request.title ?? null, createdById: owner.userId });
  await insertMembers(tx, id, [{ userId: owner.userId, role: "owner" }]);
  await insertMembers(
    tx,
    id,
    others.map((userId) => ({ userId, role: "member" })),
  );
  const conversation = await readConversation(tx, id);
  await notify(tx, others, memberAdded(owner.displayName, conversation));
  return conversation;
}

/** Adds a user, or finds that it is there already; only the owner may. */
export function addMember(
  db: Db,
  { notify, findUnknownUsers }: MembershipParts,
  caller: { userId: string; displayName: string },
  conversationId: string,
  userId: string,
): Promise<{ member: MemberRow; added: boolean }> {
  return transaction(db, async (tx) => {
    const { role } = await requireMemberAndLock(tx, conversationId, caller.userId);
    if (role !== "owner") throw new Failure("not_the_owner", "Only the owner of the conversation may add members.");
    const present = await findMember(tx, conversationId, userId);
    if (present !== null) return { member: present, added: false };
    if ((await findUnknownUsers(tx, [userId])).size > 0) {
      throw new Failure("unknown_user", "The user does not exist.", {
        errors: [{ in: "path", pointer: "/user_id", code: "unknown_user", detail: "user_id is not the id of a user." }],
      });
    }
    const conversation = await readConversation(tx, conversationId);
    if (conversation.memberCount >= MEMBERS_MAX)
      throw new Failure("conversation_full", `The conversation has ${MEMBERS_MAX} members already.`);
    await insertMembers(tx, conversationId, [{ userId, role: "member" }]);
    await notify(tx, [userId], memberAdded(caller.displayName, conversation));
    return { member: (await findMember(tx, conversationId, userId))!, added: true };
  });
}

/**
 * Takes a member out: oneself, or anybody for the owner. When the owner goes, who has been there longest owns the
 * conversation; when the last one goes, the conversation goes too.
 */
export function dropMember(db: Db, queue: JobQueue, callerId: string, conversationId: string, userId: string): Promise<void> {
  return transaction(db, async (tx) => {
    const caller = await requireMemberAndLock(tx, conversationId, callerId);
    if (callerId !== userId && caller.role !== "owner")
      throw new Failure("not_the_owner", "Only the owner of the conversation may remove others.");
    const leaving = await findMember(tx, conversationId, userId);
    if (leaving === null) throw notFound("member");
    await removeMember(tx, conversationId, userId);
    const [heir] = await findMemberIds(tx, conversationId);
    if (heir === undefined) {
      await markDeleted(tx, conversationId);
      await queue.enqueue(tx, removeConversation, { conversationId });
    } else if (leaving.role === "owner") await makeOwner(tx, conversationId, heir);
  });
}

function memberAdded(by: string, conversation: ConversationRow) {
  const title = `${by} added you to ${conversation.title ?? "a conversation"}`;
  return {
    kind: "conversation.member_added",
    title,
    body: null,
    subjectId: conversation.id,
    resource: { type: "conversation", id: conversation.id, href: `/conversations/${conversation.id}` },
  } as const;
}
