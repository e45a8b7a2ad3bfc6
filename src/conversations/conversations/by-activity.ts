import { hash } from "node:crypto";
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
/** The two parts of the list. Release 1.2.0 knows only the name of the second one. */
const [LISTED, MOVED] = ["listed", "moved"];
const BEFORE_ALL = { createdAt: "9999-12-31T23:59:59.999Z", id: "ffffffff-ffff-ffff-ffff-ffffffffffff" };
/** A cursor has at most 512 characters, which have room for the marks of so many conversations. */
const MARKS_MAX = 50;
const MARK_LENGTH = 5;
const EACH_MARK = /.{5}/g;

/**
 * Reads a page of a user's conversations, newest message first. New messages move conversations up past the cursor. So a cursor contains
 * the time of the first page, and the list ends with the conversations that were active since, by creation. None is missed, and one
 * appears twice only if it has moved: a message can be committed after its time, so the list ends with the last seconds before the first
 * page as well, and a cursor has a mark of each conversation of that time with the activity that it was shown with.
 */
export async function readByActivity(pool: Runner, cursors: Cursors, input: Input<"listConversations">) {
  const { userId } = input.principal;
  const [pageRequest, moved] = [parsePage(cursors, input, BY_ACTIVITY), parsePage(cursors, input, BY_CREATION)];
  const [start, phase, marks = ""] = pageRequest.extra;
  const findMoved = async (since: number, shown: string, request: typeof moved) => {
    const known: readonly string[] = shown.match(EACH_MARK) ?? [];
    // One row for each mark is left out.
    const wanted = { ...request, take: request.take + known.length };
    const rows = await findMovedConversations(pool, wanted, { userId, since: new Date(since).toISOString() });
    return rows.filter((row) => !known.includes(markOf(row.id, row.lastMessageAt ?? row.createdAt)));
  };
  if (start !== undefined && phase === MOVED) {
    const rows = await findMoved(Number(start), String(marks), moved);
    return page({ ...moved, cursorOf: (row) => moved.cursorOf(row, [start, MOVED, marks]) }, rows, toConversation);
  }

  const rows = await findConversationsByActivity(pool, pageRequest, { userId });
  const since = Number(start ?? Date.parse(rows[0]?.readAt ?? "") - COMMIT_MAX_MS);
  const recent = rows.slice(0, pageRequest.limit).filter((row) => Date.parse(row.activeAt) > since);
  const added = recent.map((row) => markOf(row.id, row.activeAt)).join("");
  const shown = `${marks}${added}`.slice(0, MARKS_MAX * MARK_LENGTH);
  const body = page(
    { ...pageRequest, cursorOf: (row) => pageRequest.cursorOf(row, [since, LISTED, shown]) },
    rows,
    toConversation,
  );
  // A list of one page is one snapshot.
  if (body.page.next_cursor !== null || start === undefined) return body;
  const hasMoved = (await findMoved(since, shown, { ...moved, position: undefined, take: 1 })).length > 0;
  return { ...body, page: { ...body.page, next_cursor: hasMoved ? moved.cursorOf(BEFORE_ALL, [since, MOVED, shown]) : null } };
}

/** A short hash of a conversation and its activity. */
const markOf = (id: string, activeAt: string): string => hash("sha256", `${id} ${activeAt}`, "base64url").slice(0, MARK_LENGTH);
