import type { Place, Tables } from "../database/table.ts";
import { DELETED_TEXT, NOBODY } from "../auth/deleted-user.ts";
import { eraseCreator } from "./conversations/store.ts";
import type { RemovalEnv } from "./jobs.ts";
import { leaveConversations } from "./members/service.ts";
import { eraseMessages } from "./messages/store.ts";

/** Beside its conversation, because a message changes only rows of its conversation. */
const PLACE: Place = { shard: "conversation_id", group: "conversation" };

export const tables = {
  // First, because who is not a member can't send another message.
  members: { place: PLACE, users: { user_id: "erased" }, technical: ["role"], erase: leaveConversations },
  former_members: { place: PLACE, users: { user_id: "cascade" } },
  // The row of a member goes with the membership, so none is left when the user is removed.
  listed_conversations: {
    // A list names its user.
    place: { shard: "user_id", group: "user" },
    users: { user_id: "cascade" },
    technical: ["conversation_id"],
  },
  messages: {
    place: PLACE,
    users: { sender_id: "erased" },
    written: ["body"],
    technical: ["idempotency_key"],
    erase: ({ db }, { id: userId }, _signal, batch) => eraseMessages(db, { userId, nobody: NOBODY, text: DELETED_TEXT, batch }),
  },
  conversations: {
    place: { shard: "id", group: "conversation", runs: ["post_messages", "conversation"] },
    users: { created_by: "erased" },
    written: ["title"],
    erase: ({ db }, { id: userId }, _signal, batch) => eraseCreator(db, { userId, nobody: NOBODY, batch }),
  },
} satisfies Tables<RemovalEnv>;
