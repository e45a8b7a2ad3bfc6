import type { Operations } from "../../contract/contract.ts";
import type { Db } from "../../database/client.ts";
import type { Announce } from "../../long-poll/topics.ts";
import { readUpTo } from "./service.ts";
import { toReadPosition } from "./wire.ts";

export function readPositionHandlers({ db, announce }: { readonly db: Db; readonly announce: Announce }) {
  return {
    async putReadPosition(input) {
      const position = await readUpTo(db, input);
      announce(`user:${input.principal.userId}`);
      return { status: 200, body: toReadPosition(position) };
    },
  } satisfies Partial<Operations<"Conversations">>;
}
