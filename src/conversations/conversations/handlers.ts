import type { Operations } from "../../contract/contract.ts";
import type { Connections } from "../../database/client.ts";
import { BY_CREATION } from "../../database/keyset.ts";
import type { Cursors } from "../../lists/cursor.ts";
import { openWindow, page } from "../../lists/list.ts";
import { openConversation, readConversation } from "./service.ts";
import { findConversations } from "./store.ts";
import { toConversation } from "./wire.ts";

type ConversationDependencies = Connections & { readonly cursors: Cursors; readonly isDirectoryOn: boolean };

export function conversationHandlers({ db, pool, cursors, isDirectoryOn }: ConversationDependencies) {
  return {
    createConversation(input) {
      return openConversation({ db, pool, isDirectoryOn }, input, (row) => {
        const body = toConversation(row);
        return { status: 201, headers: { Location: `/conversations/${body.id}` }, body };
      });
    },

    async listConversations(input) {
      const window = openWindow(cursors, input, BY_CREATION);
      const rows = await findConversations(pool, window, { userId: input.principal.userId });
      return { status: 200, body: page(window, rows, toConversation) };
    },

    async getConversation({ principal, path }) {
      return { status: 200, body: toConversation(await readConversation(db, path.conversationId, principal.userId)) };
    },
  } satisfies Partial<Operations<"Conversations">>;
}
