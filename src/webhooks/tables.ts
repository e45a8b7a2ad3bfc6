import type { Tables } from "../database/table.ts";
import { removeDeliveries, removeResponses } from "./store.ts";

export const tables = {
  // On every node, because a message needs the endpoints of all members of its conversation.
  webhook_endpoints: {
    distribution: "reference",
    users: { owner_id: "removed" },
    userContent: ["url", "description"],
    metadata: ["id", "events", "scopes", "disabled_because", "authorized_by"],
    excluded: {
      secret: "a secret: it signs the events for an endpoint",
      previous_secret: "a secret: it signed the events for an endpoint before its rotation",
    },
  },
  webhook_deliveries: {
    // A list and an attempt name the user, and a message writes them with its notifications.
    distribution: { shard: "owner_id", group: "user" },
    users: { owner_id: "removed" },
    // A response can contain the text of any user, so the proof of erasure searches it, too.
    metadata: ["id", "endpoint_id", "event", "data", "status", "failure", "response_body"],
    erase: ({ db }, { id: userId }, _signal, batch) => removeResponses(db, { userId, batch }),
    onDeleted: { webhook_endpoints: (tx, id, batch) => removeDeliveries(tx, { id, batch }) },
  },
} satisfies Tables;
