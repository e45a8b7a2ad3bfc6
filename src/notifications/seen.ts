import type { OperationId } from "../contract/contract.ts";
import { refusedInput } from "../failure.ts";
import type { Cursors } from "../lists/cursor.ts";

/**
 * What a list could show when it was made: the transactions that had been committed by then (`pg_snapshot`), and an
 * instant that nothing of it is later than. An event that is committed afterwards is not in it, however early it began.
 */
export type Seen = { readonly snapshot: string; readonly until: Date };

/** A token of 512 characters holds so many running transactions; a transaction that began after that many counts as not seen. */
const RUNNING_MAX = 32;
/** A clock that is set back while the service runs is no reason to leave an entry out. */
const CLOCK_TOLERANCE_MS = 60_000;

/** The list that returns the token. The token of one user is refused from another. */
const SOURCE: OperationId = "listNotifications";
const contextOf = (userId: string) => ({ operation: SOURCE, seen: userId });

/** The token of what a list has shown, with its newest notification. */
export function sealSeen(cursors: Cursors, userId: string, { snapshot, until }: Seen, newest: Date | undefined): string {
  const [min = 0, max = 0, ...running] = snapshot.split(/[:,]/).filter(Boolean).map(Number);
  const cut = running[RUNNING_MAX];
  const latestMs = Math.max(until.getTime(), newest?.getTime() ?? 0) + CLOCK_TOLERANCE_MS;
  const numbers = [latestMs, min, (cut ?? max) - min, ...running.slice(0, RUNNING_MAX).map((it) => it - min)];
  return cursors.encode(contextOf(userId), numbers);
}

/** What the token of a list of this user stands for, or `Failure(invalid_cursor)` for any other token. */
export function openSeen(cursors: Cursors, userId: string, token: string): Seen {
  try {
    const [untilMs = 0, min = 0, length = 0, ...running] = cursors.decode(contextOf(userId), "seen", token).map(Number);
    return { snapshot: `${min}:${min + length}:${running.map((it) => min + it).join(",")}`, until: new Date(untilMs) };
  } catch (cause) {
    const detail = "seen is not from a list of your notifications. List them again and send the new seen.";
    throw refusedInput("invalid_cursor", { in: "body", pointer: "/seen", detail, cause });
  }
}
