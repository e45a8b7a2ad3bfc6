import { randomUUIDv7 } from "node:crypto";
import type { Input } from "../../contract/contract.ts";
import type { Tx } from "../../database/client.ts";
import { Failure, found } from "../../failure.ts";
import { memberAdded, requireMember, type MemberParts } from "../members/service.ts";
import { insertMembers } from "../members/store.ts";
import { findConversation, insertConversation, type ConversationRow } from "./store.ts";

/** Creates a conversation owned by the caller, and notifies the other members. `member_ids` can include the caller. */
export async function openConversation(
  tx: Tx,
  { notify, findUnknownUsers }: MemberParts,
  { principal: owner, body: request }: Input<"createConversation">,
): Promise<ConversationRow> {
  const unknown = await findUnknownUsers(tx, request.member_ids);
  if (unknown.size > 0) throw unknownUsers(request.member_ids, unknown);
  const id = randomUUIDv7();
  const others = request.member_ids.filter((it) => it !== owner.userId);
  await insertConversation(tx, { id, title: request.title ?? null, createdById: owner.userId });
  // In separate statements, so that the owner is the first to have joined.
  await insertMembers(tx, id, [owner.userId], "owner");
  await insertMembers(tx, id, others, "member");
  const conversation = (await findConversation(tx, id))!;
  await notify(tx, others, memberAdded(owner, conversation));
  return conversation;
}

/** Reads a conversation. The user must be a member of it. */
export async function readConversation(tx: Tx, id: string, userId: string): Promise<ConversationRow> {
  await requireMember(tx, id, userId);
  // The conversation may have been deleted since the membership was checked.
  return found(await findConversation(tx, id), "conversation");
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
