import type { Tables } from "../database/table.ts";
import { eraseFromSome, removeSome } from "./store.ts";

export const tables = {
  notifications: {
    // `seen` compares transaction ids, which each node counts for itself: those of one user are on one node.
    place: { shard: "user_id", group: "user", beforeInsert: "stamp_event" },
    users: { user_id: "removed", actor_id: "stays" },
    written: ["title", "body", "actor_name", "subject_title"],
    technical: ["kind", "resource_type", "resource_id", "resource_href", "subject_id", "detail"],
    leftOut: { actor_id: "in notifications of other users, about what this user did; the messages themselves are copied" },
    onDeleted: { conversations: removeSome },
    onErased: { conversations: eraseFromSome },
  },
} satisfies Tables;
