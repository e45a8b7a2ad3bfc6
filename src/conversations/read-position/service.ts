import * as store from "#generated/sql/conversations/read-position.ts";
import type { Input } from "../../contract/contract.ts";
import { transaction, type Db } from "../../database/client.ts";
import { orNotFound, refusedInput } from "../../failure.ts";
import { findConversationAndSequence, type FindConversationAndSequenceRow } from "../conversations/store.ts";
import { requireMember } from "../members/service.ts";

/**
 * Moves the read position of a user forwards, and marks older notifications about the conversation as read. A newer one then counts only
 * the messages after the position. For Citus, each statement writes only rows of the conversation, or only rows of the user.
 */
export function moveReadPosition(
  db: Db,
  { principal: { userId }, path, body: { sequence } }: Input<"putReadPosition">,
): Promise<FindConversationAndSequenceRow> {
  const { conversationId } = path;
  return transaction(db, async (tx) => {
    if (!(await store.movePosition(tx, { conversationId, userId, sequence }))) {
      await requireMember(tx, conversationId, userId);
      throw unknownSequence();
    }
    const messageId = (await store.lockUnreadMessage(tx, { conversationId, userId }))?.id ?? null;
    const position = orNotFound(await findConversationAndSequence(tx, { id: conversationId, userId, messageId }), "conversation");
    const { lastReadSequence, messageSequence } = position;
    const unread = Math.max(0, (messageSequence ?? 0) - lastReadSequence);
    await store.readConversationUpTo(tx, { conversationId, userId, messageId: messageId ?? "", unread });
    return position;
  });
}

function unknownSequence() {
  const detail = "sequence is greater than that of the newest message in the conversation.";
  return refusedInput("unknown_sequence", { in: "body", pointer: "/sequence", detail });
}
