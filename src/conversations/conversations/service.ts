import { randomUUIDv7 } from "node:crypto";
import type { AnyOutput, Input } from "../../contract/contract.ts";
import type { Connections, Tx } from "../../database/client.ts";
import { orNotFound, unavailable } from "../../failure.ts";
import { insertOnce } from "../../idempotency/idempotency.ts";
import { findUnknownUsers, unknownUsers } from "../../users/users.ts";
import { addedYouTo, requireMember } from "../members/service.ts";
import { findConversation, insertConversation, type ConversationRow } from "./store.ts";

/**
 * Creates a conversation owned by the caller, and notifies the other members, once for each idempotency key. `member_ids` can
 * include the caller.
 */
export function openConversation<O extends AnyOutput>(
  { db, pool, isDirectoryOn }: Connections & { readonly isDirectoryOn: boolean },
  input: Input<"createConversation">,
  answer: (row: ConversationRow) => O,
): Promise<O> {
  const { userId } = input.principal;
  const { title = null, member_ids: memberIds } = input.body;
  const conversation = {
    id: randomUUIDv7(),
    title,
    createdBy: userId,
    memberIds,
    memberCount: new Set([userId, ...memberIds]).size,
    notice: addedYouTo(title),
    lastMessageAt: null,
  };
  const draft = (createdAt: string) => ({ ...conversation, createdAt });
  const whyNot = async () => {
    const unknown = await findUnknownUsers(db, memberIds);
    // A user who was unknown to the statement can be known by now. A retry then succeeds.
    return unknown.size > 0 ? unknownUsers("member_ids", memberIds, unknown, isDirectoryOn) : unavailable();
  };
  return insertOnce(pool, input, insertConversation, draft, answer, { whyNot });
}

/** Reads a conversation. The user must be a member of it. */
export async function readConversation(tx: Tx, id: string, userId: string): Promise<ConversationRow> {
  await requireMember(tx, id, userId);
  // The conversation may have been deleted since the membership was checked.
  return orNotFound(await findConversation(tx, { id }), "conversation");
}
