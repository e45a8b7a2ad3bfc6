import type { OperationId } from "../contract/contract.ts";
import { refusedInput } from "../failure.ts";
import type { Cursors } from "../lists/cursor.ts";

/**
 * The notifications that a list could show: those of the transactions that were committed when it was read (`pg_snapshot`),
 * and created no later than `until`. An event of a later commit is not one of them, even if its transaction began earlier.
 */
export type Seen = { readonly snapshot: string; readonly until: Date };

/** The number of running transactions that fit into a token of 512 characters. Later transactions count as not seen. */
const RUNNING_MAX = 32;
/** After the clock is set back, a notification from before can be later than `until`, and must still count as seen. */
const CLOCK_TOLERANCE_MS = 60_000;

/** The operation that returns the token. Another user's token is refused. */
const SOURCE: OperationId = "listNotifications";
const contextOf = (userId: string) => ({ operation: SOURCE, seen: userId });

/** Makes the token of a list. `newest` is the creation time of its newest notification. */
export function sealSeen(cursors: Cursors, userId: string, { snapshot, until }: Seen, newest: Date | undefined): string {
  const [min = 0, max = 0, ...running] = snapshot.split(/[:,]/).filter(Boolean).map(Number);
  const cut = running[RUNNING_MAX];
  const latestMs = Math.max(until.getTime(), newest?.getTime() ?? 0) + CLOCK_TOLERANCE_MS;
  const numbers = [latestMs, min, (cut ?? max) - min, ...running.slice(0, RUNNING_MAX).map((it) => it - min)];
  return cursors.encode(contextOf(userId), numbers);
}

/** Opens the token of a list of this user. Throws `Failure(invalid_cursor)` for any other token. */
export function openSeen(cursors: Cursors, userId: string, token: string): Seen {
  try {
    const [untilMs = 0, min = 0, length = 0, ...running] = cursors.decode(contextOf(userId), "seen", token).map(Number);
    return { snapshot: `${min}:${min + length}:${running.map((it) => min + it).join(",")}`, until: new Date(untilMs) };
  } catch (cause) {
    const detail = "seen is not from a list of your notifications. List them again and send the new seen.";
    throw refusedInput("invalid_cursor", { in: "body", pointer: "/seen", detail, cause });
  }
}
