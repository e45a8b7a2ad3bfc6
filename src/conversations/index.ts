import type { Operations } from "../contract/contract.ts";
import type { Database } from "../database/client.ts";
import { conversationHandlers } from "./conversations/handlers.ts";
import { memberHandlers } from "./members/handlers.ts";
import { findRole } from "./members/store.ts";
import { messageHandlers } from "./messages/handlers.ts";
import { createSendMessage } from "./messages/service.ts";

type Parts = Parameters<typeof conversationHandlers>[0] & Parameters<typeof memberHandlers>[0];

/** The handlers of conversations, members and messages. */
export function conversationAreaHandlers(parts: Parts): Operations<"Conversations" | "Messages"> {
  const sendMessage = createSendMessage(parts.pool, parts.db);
  return {
    ...conversationHandlers(parts),
    ...memberHandlers(parts),
    ...messageHandlers({ ...parts, sendMessage }),
  };
}

type MemberRequest = { readonly principal: { readonly userId: string }; readonly path: { readonly conversationId: string } };

/** Returns a function for whether the user of a request is a member of its conversation. */
export const membershipCheck =
  (pool: Database["pool"]) =>
  async ({ principal, path }: MemberRequest): Promise<boolean> =>
    (await findRole(pool, path.conversationId, principal.userId)) !== null;
