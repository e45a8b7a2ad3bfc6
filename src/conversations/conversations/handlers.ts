import type { Operations } from "../../contract/contract.ts";
import type { Connections } from "../../database/client.ts";
import { BY_CREATION } from "../../pagination/keyset.ts";
import type { Cursors } from "../../pagination/cursor.ts";
import { parsePage, page } from "../../pagination/list.ts";
import type { Publish } from "../../long-poll/topics.ts";
import { readByActivity } from "./by-activity.ts";
import { openConversation, readConversation, setConversationTitle } from "./service.ts";
import { findConversations, type ConversationRow } from "./store.ts";
import { completed, toConversation, toNewConversation } from "./wire.ts";

type ConversationDeps = Connections & {
  readonly cursors: Cursors;
  readonly isDirectoryOn: boolean;
  readonly publish: Publish;
};

export function conversationHandlers({ db, pool, cursors, isDirectoryOn, publish }: ConversationDeps) {
  return {
    async createConversation(input) {
      const respond = (row: ConversationRow) =>
        ({ status: 201, headers: { Location: `/conversations/${row.id}` }, body: toNewConversation(row) }) as const;
      const response = await openConversation({ db, pool, isDirectoryOn }, input, respond);
      // Its members have a notification.
      publish(`conversation:${response.body.id}`);
      return { ...response, body: completed(response.body) };
    },

    async listConversations(input) {
      if (input.query.sort === "-last_message_at") return { status: 200, body: await readByActivity(pool, cursors, input) };
      const pageRequest = parsePage(cursors, input, BY_CREATION);
      const rows = await findConversations(pool, pageRequest, { userId: input.principal.userId });
      return { status: 200, body: page(pageRequest, rows, toConversation) };
    },

    async getConversation({ principal, path }) {
      return { status: 200, body: toConversation(await readConversation({ db, pool }, path.conversationId, principal.userId)) };
    },

    async updateConversation(input) {
      return { status: 200, body: toConversation(await setConversationTitle(db, input)) };
    },
  } satisfies Partial<Operations<"Conversations">>;
}
