import type { Schemas } from "../../contract/contract.ts";
import type { ShownConversationRow } from "../conversations/store.ts";

export const toReadPosition = (
  row: Pick<ShownConversationRow, "lastReadSequence" | "lastSequence">,
): Schemas["ReadPosition"] => ({
  last_read_sequence: row.lastReadSequence,
  unread_count: row.lastSequence - row.lastReadSequence,
});
