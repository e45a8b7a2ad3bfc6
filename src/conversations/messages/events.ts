import { z } from "zod";
import type { EventSources } from "../../contract/events.ts";
import type { Connections } from "../../database/client.ts";
import { nullIfUnreadable } from "../../failure.ts";
import { readMessage } from "./service.ts";
import { toMessage } from "./wire.ts";

const ids = z.object({ conversation_id: z.uuid(), message_id: z.uuid(), sequence: z.int() });

/** The event of a new message, for each member of its conversation. */
export const messageEventSources: Pick<EventSources<Connections>, "message.created"> = {
  "message.created": {
    scope: "conversations:read",
    async data({ db }, { ownerId, ids: stored, mayRead }) {
      const { conversation_id, message_id, sequence } = ids.parse(stored);
      const row = mayRead ? await nullIfUnreadable(readMessage(db, conversation_id, message_id, ownerId)) : null;
      return { conversation_id, message_id, sequence, message: row && toMessage(row) };
    },
  },
};
