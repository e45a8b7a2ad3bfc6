import type { Operations } from "../contract/contract.ts";
import type { Database } from "../database/client.ts";
import type { NotifyInStatement } from "../notifier.ts";
import { conversationHandlers } from "./conversations/handlers.ts";
import { createInsertConversation } from "./conversations/store.ts";
import { memberHandlers } from "./members/handlers.ts";
import { findRole } from "./members/store.ts";
import { messageHandlers } from "./messages/handlers.ts";
import { createSendMessage } from "./messages/service.ts";
import { createInsertMessages } from "./messages/store.ts";

type Parts = Omit<Parameters<typeof conversationHandlers>[0], "insertConversation"> &
  Parameters<typeof memberHandlers>[0] &
  Pick<Database, "pool"> & { readonly notifyInStatement: NotifyInStatement };

/** The handlers of conversations, members and messages. */
export function conversationAreaHandlers(parts: Parts): Operations<"Conversations" | "Messages"> {
  const sendMessage = createSendMessage(parts.pool, parts.db, createInsertMessages(parts.pool, parts.notifyInStatement));
  const insertConversation = createInsertConversation(parts.notifyInStatement);
  return {
    ...conversationHandlers({ ...parts, insertConversation }),
    ...memberHandlers(parts),
    ...messageHandlers({ ...parts, sendMessage }),
  };
}

type MemberRequest = { readonly principal: { readonly userId: string }; readonly path: { readonly conversationId: string } };

/** Returns a function for whether the user of a request is a member of its conversation. */
export const membershipCheck =
  (pool: Database["pool"]) =>
  async ({ principal, path }: MemberRequest): Promise<boolean> =>
    (await findRole(pool, { conversationId: path.conversationId, userId: principal.userId })) !== null;
