import type { Operations } from "../../contract/contract.ts";
import type { Db } from "../../database/client.ts";
import { readUpTo } from "./service.ts";
import { toReadPosition } from "./wire.ts";

export function readPositionHandlers({ db }: { readonly db: Db }) {
  return {
    async putReadPosition(input) {
      return { status: 200, body: toReadPosition(await readUpTo(db, input)) };
    },
  } satisfies Partial<Operations<"Conversations">>;
}
