import type { Tables } from "../database/table.ts";
import { eraseFromSome, removeSome } from "./store.ts";

export const tables = {
  notifications: {
    // `seen` compares transaction ids, which each node counts for itself: those of one user are on one node.
    distribution: { shard: "user_id", group: "user", beforeInsert: "stamp_event" },
    users: { user_id: "removed", actor_id: "stays" },
    userContent: ["title", "body", "actor_name", "subject_title"],
    metadata: ["kind", "resource_type", "resource_id", "resource_href", "subject_id", "detail"],
    excluded: { actor_id: "in notifications of other users, about what this user did; the messages themselves are copied" },
    onDeleted: { conversations: removeSome },
    onErased: { conversations: eraseFromSome },
  },
} satisfies Tables;
