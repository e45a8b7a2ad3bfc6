import type { Operations } from "../../contract/contract.ts";
import type { Database } from "../../database/client.ts";
import { BY_CREATION } from "../../database/keyset.ts";
import type { Cursors } from "../../lists/cursor.ts";
import { list } from "../../lists/list.ts";
import type { MemberParts } from "../members/service.ts";
import { openConversation, readConversation } from "./service.ts";
import { findConversations } from "./store.ts";
import { toConversation } from "./wire.ts";

type Parts = Pick<MemberParts, "findUnknownUsers"> & Pick<Database, "db" | "pool"> & { readonly cursors: Cursors };

export function conversationHandlers({ cursors, ...parts }: Parts) {
  const { db, pool } = parts;
  return {
    createConversation(input) {
      return openConversation(parts, input, (row) => {
        const body = toConversation(row);
        return { status: 201, headers: { Location: `/conversations/${body.id}` }, body };
      });
    },

    listConversations: (input) =>
      list(cursors, input, {
        order: BY_CREATION,
        find: (window) => findConversations(pool, window, input.principal.userId),
        toWire: toConversation,
      }),

    async getConversation({ principal, path }) {
      return { status: 200, body: toConversation(await readConversation(db, path.conversationId, principal.userId)) };
    },
  } satisfies Partial<Operations<"Conversations">>;
}
