import type { Operations } from "../../contract/contract.ts";
import type { Database } from "../../database/client.ts";
import type { Cursors } from "../../lists/cursor.ts";
import { listMessages, readMessage, type SendMessage } from "./service.ts";
import { toMessage } from "./wire.ts";

type Parts = Pick<Database, "db" | "pool"> & { readonly cursors: Cursors; readonly sendMessage: SendMessage };

export function messageHandlers({ db, pool, cursors, sendMessage }: Parts): Operations<"Messages"> {
  return {
    async createMessage(input) {
      const { message, replayed } = await sendMessage(input);
      const location = { Location: `/conversations/${message.conversationId}/messages/${message.id}` };
      const headers = replayed ? { ...location, "Idempotency-Replayed": "true" as const } : location;
      return { status: 201, headers, body: toMessage(message) };
    },

    listMessages: (input) => listMessages({ db, pool }, cursors, input),

    async getMessage({ principal, path }) {
      return { status: 200, body: toMessage(await readMessage(db, path.conversationId, path.message_id, principal.userId)) };
    },
  };
}
