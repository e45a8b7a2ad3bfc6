import { randomUUIDv7 } from "node:crypto";
import type { Input } from "../../contract/contract.ts";
import { transaction, type Connections, type Db } from "../../database/client.ts";
import { unavailable } from "../../failure.ts";
import { insertOnce, type Replayable } from "../../idempotency/idempotency.ts";
import { findUnknownUsers, unknownUsers } from "../../auth/users.ts";
import { requireMember, requireOwnerAndLock } from "../members/service.ts";
import { findConversationOf, insertConversation, setTitle, type ConversationRow, type ShownConversationRow } from "./store.ts";

/**
 * Creates a conversation owned by the user, and notifies the other members, once for each idempotency key. `member_ids` can
 * include the user.
 */
export async function openConversation<O extends Replayable>(
  { db, pool, isDirectoryOn }: Connections & { readonly isDirectoryOn: boolean },
  input: Input<"createConversation">,
  respond: (row: ConversationRow) => O,
): Promise<O> {
  const { userId } = input.principal;
  const { title = null, member_ids: memberIds } = input.body;
  const conversation = {
    id: randomUUIDv7(),
    title,
    createdBy: userId,
    memberIds,
    memberCount: new Set([userId, ...memberIds]).size,
    lastMessageAt: null,
  };
  const whyNot = async () => {
    const unknown = await findUnknownUsers(db, memberIds);
    // A user who was unknown to the statement can be known by now. A retry then succeeds.
    return unknown.size > 0 ? unknownUsers("member_ids", memberIds, unknown, isDirectoryOn) : unavailable();
  };
  const { response } = await insertOnce(
    pool,
    input,
    (claim) => insertConversation(pool, { ...conversation, ...claim }),
    (createdAt) => respond({ ...conversation, createdAt }),
    whyNot,
  );
  return response;
}

/** Reads a conversation for a member. */
export async function readConversation({ db, pool }: Connections, id: string, userId: string): Promise<ShownConversationRow> {
  const conversation = await findConversationOf(pool, { id, userId });
  if (conversation !== null) return conversation;
  await requireMember(db, id, userId);
  // The user became a member between the two queries.
  throw unavailable();
}

/** Sets the title. The user must be the owner. */
export function setConversationTitle(
  db: Db,
  { principal, path, body }: Input<"updateConversation">,
): Promise<ShownConversationRow> {
  const { conversationId: id } = path;
  const { userId } = principal;
  return transaction(db, async (tx) => {
    await requireOwnerAndLock(tx, id, userId);
    await setTitle(tx, { id, title: body.title });
    return (await findConversationOf(tx, { id, userId }))!;
  });
}
