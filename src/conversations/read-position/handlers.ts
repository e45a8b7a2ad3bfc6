import type { Operations } from "../../contract/contract.ts";
import type { Db } from "../../database/client.ts";
import type { Publish } from "../../long-poll/topics.ts";
import { moveReadPosition } from "./service.ts";
import { toReadPosition } from "./wire.ts";

export function readPositionHandlers({ db, publish }: { readonly db: Db; readonly publish: Publish }) {
  return {
    async putReadPosition(input) {
      const position = await moveReadPosition(db, input);
      publish(`user:${input.principal.userId}`);
      return { status: 200, body: toReadPosition(position) };
    },
  } satisfies Partial<Operations<"Conversations">>;
}
