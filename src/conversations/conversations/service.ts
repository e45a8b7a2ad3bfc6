import { randomUUIDv7 } from "node:crypto";
import type { AnyOutput, Input } from "../../contract/contract.ts";
import type { Connections, Tx } from "../../database/client.ts";
import { Failure, orNotFound, unavailable } from "../../failure.ts";
import { insertOnce } from "../../idempotency/idempotency.ts";
import { findUnknownUsers } from "../../users/users.ts";
import { addedYouTo, requireMember } from "../members/service.ts";
import { findConversation, insertConversation, type ConversationRow } from "./store.ts";

/**
 * Creates a conversation owned by the caller, and notifies the other members, once for each idempotency key. `member_ids` can
 * include the caller.
 */
export function openConversation<O extends AnyOutput>(
  { db, pool }: Connections,
  input: Input<"createConversation">,
  answer: (row: ConversationRow) => O,
): Promise<O> {
  const { userId, displayName } = input.principal;
  const { title = null, member_ids: memberIds } = input.body;
  const conversation = {
    id: randomUUIDv7(),
    title,
    createdBy: userId,
    memberIds,
    memberCount: new Set([userId, ...memberIds]).size,
    notice: addedYouTo(displayName, title),
    lastMessageAt: null,
  };
  const draft = (createdAt: string) => ({ ...conversation, createdAt });
  return insertOnce(pool, input, insertConversation, draft, answer, async () => {
    const unknown = await findUnknownUsers(db, memberIds);
    // A user who was unknown to the statement can be known by now. A retry then succeeds.
    return unknown.size > 0 ? unknownUsers(memberIds, unknown) : unavailable();
  });
}

/** Reads a conversation. The user must be a member of it. */
export async function readConversation(tx: Tx, id: string, userId: string): Promise<ConversationRow> {
  await requireMember(tx, id, userId);
  // The conversation may have been deleted since the membership was checked.
  return orNotFound(await findConversation(tx, { id }), "conversation");
}

function unknownUsers(ids: readonly string[], unknown: ReadonlySet<string>): Failure {
  const errors = ids.flatMap((id, index) => {
    const place = `member_ids/${index}`;
    const detail = `${place} is not the id of a user.`;
    return unknown.has(id) ? [{ in: "body", pointer: `/${place}`, code: "unknown_user", detail } as const] : [];
  });
  const detail = errors.length === 1 ? errors[0]!.detail : `${errors.length} of these users don't exist.`;
  return new Failure("unknown_user", detail, { errors });
}
