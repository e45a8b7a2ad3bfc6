import type { OperationId } from "../contract/contract.ts";
import { refusedInput } from "../failure.ts";
import type { Cursors } from "../pagination/cursor.ts";

/**
 * The events that a list could show: those of the transactions that were committed when it was read (`pg_snapshot`), on the
 * `server` and the timeline that it was read from, and no later than `until`. An event of a later commit is not one of them, even
 * if its transaction began earlier.
 */
export type Seen = { readonly snapshot: string; readonly server: string; readonly until: Date };

/** The number of running transactions that fit into a token of 512 characters. Later transactions count as not seen. */
const RUNNING_MAX = 32;

/** The operation that returns the token. Another user's token is refused. */
const SOURCE: OperationId = "listNotifications";
const contextOf = (userId: string) => ({ operation: SOURCE, seen: userId, on: "server" });
/** That of the tokens of 1.0.0, which have no server, and an `until` a minute later. See `marking`. */
const contextBefore = (userId: string) => ({ operation: SOURCE, seen: userId });

/** Makes the token of a list. `eventTimes` are those of the newest events of its notifications, as sent to clients. */
export function encodeSeen(
  cursors: Cursors,
  userId: string,
  { snapshot, server, until }: Seen,
  eventTimes: readonly string[],
): string {
  const [min = 0, max = 0, ...running] = snapshot.split(/[:,]/).filter(Boolean).map(Number);
  const cut = running[RUNNING_MAX];
  // After the clock is set back, an event from before is later than the list that shows it.
  const untilMs = Math.max(until.getTime(), ...eventTimes.map((it) => Date.parse(it)));
  const numbers = [untilMs, min, (cut ?? max) - min, ...running.slice(0, RUNNING_MAX).map((it) => it - min)];
  return cursors.encode(contextOf(userId), [server, ...numbers]);
}

/** Opens the token of a list of this user. Throws `Failure(invalid_cursor)` for any other token. */
export function decodeSeen(cursors: Cursors, userId: string, token: string): Seen {
  const read = (context: ReturnType<typeof contextBefore>) => cursors.decode(context, "seen", token);
  try {
    const [server, ...numbers] = attempt(() => read(contextOf(userId))) ?? ["", ...read(contextBefore(userId))];
    const [untilMs = 0, min = 0, length = 0, ...running] = numbers.map(Number);
    const snapshot = `${min}:${min + length}:${running.map((it) => min + it).join(",")}`;
    return { snapshot, server: String(server), until: new Date(untilMs) };
  } catch (cause) {
    const detail = "seen is not from a list of your notifications. List them again and send the new seen.";
    throw refusedInput("invalid_cursor", { in: "body", pointer: "/seen", detail, cause });
  }
}

function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
