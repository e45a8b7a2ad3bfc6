import type { Operations } from "../../contract/contract.ts";
import type { Connections } from "../../database/client.ts";
import { BY_CREATION } from "../../pagination/keyset.ts";
import type { Cursors } from "../../pagination/cursor.ts";
import { openWindow, page } from "../../pagination/list.ts";
import type { Announce } from "../../long-poll/topics.ts";
import { readByActivity } from "./by-activity.ts";
import { openConversation, readConversation, retitleConversation } from "./service.ts";
import { findConversations, type ConversationRow } from "./store.ts";
import { completed, toConversation, toNewConversation } from "./wire.ts";

type ConversationDependencies = Connections & {
  readonly cursors: Cursors;
  readonly isDirectoryOn: boolean;
  readonly announce: Announce;
};

export function conversationHandlers({ db, pool, cursors, isDirectoryOn, announce }: ConversationDependencies) {
  return {
    async createConversation(input) {
      const respond = (row: ConversationRow) =>
        ({ status: 201, headers: { Location: `/conversations/${row.id}` }, body: toNewConversation(row) }) as const;
      const response = await openConversation({ db, pool, isDirectoryOn }, input, respond);
      // Its members have a notification.
      announce(`conversation:${response.body.id}`);
      return { ...response, body: completed(response.body) };
    },

    async listConversations(input) {
      if (input.query.sort === "-last_message_at") return { status: 200, body: await readByActivity(pool, cursors, input) };
      const window = openWindow(cursors, input, BY_CREATION);
      const rows = await findConversations(pool, window, { userId: input.principal.userId });
      return { status: 200, body: page(window, rows, toConversation) };
    },

    async getConversation({ principal, path }) {
      return { status: 200, body: toConversation(await readConversation({ db, pool }, path.conversationId, principal.userId)) };
    },

    async updateConversation(input) {
      return { status: 200, body: toConversation(await retitleConversation(db, input)) };
    },
  } satisfies Partial<Operations<"Conversations">>;
}
