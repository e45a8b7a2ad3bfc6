import type { Distribution, Tables } from "../database/table.ts";
import { DELETED_TEXT, DELETED_USER_ID } from "../auth/deleted-user.ts";
import { eraseCreator } from "./conversations/store.ts";
import type { RemovalDeps } from "./jobs.ts";
import { leaveConversations } from "./members/service.ts";
import { eraseMessages } from "./messages/store.ts";

/** On the node of the conversation, because a message changes only rows of its conversation. */
const BY_CONVERSATION: Distribution = { shard: "conversation_id", group: "conversation" };

export const tables = {
  // First, so that the user can't send further messages.
  members: { distribution: BY_CONVERSATION, users: { user_id: "erased" }, metadata: ["role"], erase: leaveConversations },
  former_members: { distribution: BY_CONVERSATION, users: { user_id: "cascade" } },
  // Each row is removed with its membership, so none is left when the user is removed.
  listed_conversations: {
    // A list names its user.
    distribution: { shard: "user_id", group: "user" },
    users: { user_id: "cascade" },
    metadata: ["conversation_id"],
  },
  messages: {
    distribution: BY_CONVERSATION,
    users: { sender_id: "erased" },
    userContent: ["body"],
    metadata: ["idempotency_key"],
    erase: ({ db }, { id: userId }, _signal, batch) =>
      eraseMessages(db, { userId, deletedUserId: DELETED_USER_ID, text: DELETED_TEXT, batch }),
  },
  conversations: {
    distribution: { shard: "id", group: "conversation", distributedFunction: ["post_messages", "conversation"] },
    users: { created_by: "erased" },
    userContent: ["title"],
    erase: ({ db }, { id: userId }, _signal, batch) => eraseCreator(db, { userId, deletedUserId: DELETED_USER_ID, batch }),
  },
} satisfies Tables<RemovalDeps>;
