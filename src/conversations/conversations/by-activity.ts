import type { Input } from "../../contract/contract.ts";
import { BY_CREATION, type Order } from "../../pagination/keyset.ts";
import type { Runner } from "../../database/statement.ts";
import type { Cursors } from "../../pagination/cursor.ts";
import { parsePage, page } from "../../pagination/list.ts";
import { findConversationsByActivity, findMovedConversations } from "./store.ts";
import { toConversation } from "./wire.ts";

const BY_ACTIVITY = { activeAt: "instant", id: "id" } as const satisfies Order<string>;
/** Longer than a transaction, because the time of a message is earlier than its commit. */
const COMMIT_MAX_MS = 15_000;
const MOVED = "moved";
const BEFORE_ALL = { createdAt: "9999-12-31T23:59:59.999Z", id: "ffffffff-ffff-ffff-ffff-ffffffffffff" };

/**
 * Reads a page of a user's conversations, newest message first. New messages move conversations up past the cursor. So a cursor contains
 * the time of the first page, and the list ends with the conversations that were active since, by creation.
 * They can appear twice, but none is missed.
 */
export async function readByActivity(pool: Runner, cursors: Cursors, input: Input<"listConversations">) {
  const { userId } = input.principal;
  const [pageRequest, moved] = [parsePage(cursors, input, BY_ACTIVITY), parsePage(cursors, input, BY_CREATION)];
  const [start, phase] = pageRequest.extra;
  const findMoved = (since: number, request: typeof moved) =>
    findMovedConversations(pool, request, { userId, since: new Date(since).toISOString() });
  if (start !== undefined && phase === MOVED) {
    const rows = await findMoved(Number(start), moved);
    return page({ ...moved, cursorOf: (row) => moved.cursorOf(row, [start, MOVED]) }, rows, toConversation);
  }

  const rows = await findConversationsByActivity(pool, pageRequest, { userId });
  const since = Number(start ?? Date.parse(rows[0]?.readAt ?? "") - COMMIT_MAX_MS);
  const body = page({ ...pageRequest, cursorOf: (row) => pageRequest.cursorOf(row, [since]) }, rows, toConversation);
  // A list of one page is one snapshot.
  if (body.page.next_cursor !== null || start === undefined) return body;
  const hasMoved = (await findMoved(since, { ...moved, position: undefined, take: 1 })).length > 0;
  return { ...body, page: { ...body.page, next_cursor: hasMoved ? moved.cursorOf(BEFORE_ALL, [since, MOVED]) : null } };
}
