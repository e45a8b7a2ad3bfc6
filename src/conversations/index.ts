import type { Operations } from "../contract/contract.ts";
import type { Connections } from "../database/client.ts";
import { conversationHandlers } from "./conversations/handlers.ts";
import { memberHandlers } from "./members/handlers.ts";
import { findMember } from "./members/store.ts";
import { messageHandlers } from "./messages/handlers.ts";
import { readPositionHandlers } from "./read-position/handlers.ts";

export { findUnmutedMembers } from "./members/store.ts";
export { messageEventSources } from "./messages/events.ts";
export { messageWaits } from "./messages/handlers.ts";

/** The handlers of conversations, members and messages. */
export function conversationAreaHandlers(
  deps: Parameters<typeof conversationHandlers>[0] & Parameters<typeof memberHandlers>[0],
): Operations<"Conversations" | "Messages"> {
  return {
    ...conversationHandlers(deps),
    ...memberHandlers(deps),
    ...readPositionHandlers(deps),
    ...messageHandlers(deps),
  };
}

type MemberRequest = { readonly principal: { readonly userId: string }; readonly path: { readonly conversationId: string } };

/** Checks whether the user of a request is a member of the conversation. */
export const membershipCheck =
  (pool: Connections["pool"]) =>
  async ({ principal, path }: MemberRequest): Promise<boolean> =>
    (await findMember(pool, { conversationId: path.conversationId, userId: principal.userId })) !== null;
