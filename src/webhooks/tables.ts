import type { Tables } from "../database/table.ts";
import { removeDeliveries, removeResponses } from "./store.ts";

export const tables = {
  // On every node, because a message looks for the endpoints of all members of its conversation.
  webhook_endpoints: {
    place: "reference",
    users: { owner_id: "removed" },
    written: ["url", "description"],
    technical: ["id", "events", "scopes", "disabled_because", "authorized_by"],
    leftOut: {
      secret: "a secret: what signs the events for an endpoint",
      previous_secret: "a secret: what signed the events for an endpoint before its rotation",
    },
  },
  webhook_deliveries: {
    // A list and an attempt name the user, and a message writes them with its notifications.
    place: { shard: "owner_id", group: "user" },
    users: { owner_id: "removed" },
    // A receiver can answer with the words of any user, so the proof searches its responses, too.
    technical: ["id", "endpoint_id", "event", "data", "status", "failure", "response_body"],
    erase: ({ db }, { id: userId }, _signal, batch) => removeResponses(db, { userId, batch }),
    onDeleted: { webhook_endpoints: (tx, id, batch) => removeDeliveries(tx, { id, batch }) },
  },
} satisfies Tables;
