import type { Operations } from "../../contract/contract.ts";
import type { Connections } from "../../database/client.ts";
import type { Cursors } from "../../pagination/cursor.ts";
import { parsePage, page } from "../../pagination/list.ts";
import type { Publish } from "../../long-poll/topics.ts";
import type { Waits } from "../../long-poll/waits.ts";
import { createSendMessage, readMessage, readMessages, rethrowAfterAccessCheck, type MessagePosition } from "./service.ts";
import { BY_SEQUENCE } from "./store.ts";
import { toMessage } from "./wire.ts";

type MessageDeps = Connections & { readonly cursors: Cursors; readonly publish: Publish };

/** A long poll for messages after a cursor, or for the first message. No new message can precede a cursor. */
export const messageWaits: Pick<Waits, "listMessages"> = {
  listMessages: ({ path, query }) => ({
    topic: `conversation:${path.conversationId}`,
    isEmpty: ({ data }) => data.length === 0 && query.before === undefined,
  }),
};

export function messageHandlers({ db, pool, cursors, publish }: MessageDeps): Operations<"Messages"> {
  const sendMessage = createSendMessage(pool, db, publish);
  return {
    async createMessage(input) {
      const { message, replayed } = await sendMessage(input);
      const location = { Location: `/conversations/${message.conversationId}/messages/${message.id}` };
      const headers = replayed ? { ...location, "Idempotency-Replayed": "true" as const } : location;
      return { status: 201, headers, body: toMessage(message) };
    },

    async listMessages(input) {
      const parse = async () => parsePage(cursors, input, BY_SEQUENCE, input.query.after === undefined ? "desc" : "asc");
      const pageRequest = await parse().catch((error: unknown) => rethrowAfterAccessCheck(db, input, error));
      const { rows, newest, oldest, hasNewer } = await readMessages({ db, pool }, input, pageRequest);
      const cursorOf = ({ sequence, extra }: MessagePosition) => pageRequest.cursorOf({ sequence }, extra);
      // `prev_cursor` is always present, so that a client can poll for new messages.
      const ends = { next_cursor: oldest.sequence > 1 ? cursorOf(oldest) : null, prev_cursor: cursorOf(newest) };
      return { status: 200, body: page(pageRequest, rows, toMessage, { ...ends, has_newer: hasNewer }) };
    },

    async getMessage({ principal, path }) {
      return { status: 200, body: toMessage(await readMessage(db, path.conversationId, path.message_id, principal.userId)) };
    },
  };
}
