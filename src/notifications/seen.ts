import type { OperationId } from "../contract/contract.ts";
import { refusedInput } from "../failure.ts";
import type { Cursors } from "../pagination/cursor.ts";

/**
 * The events in a list: those of transactions committed at its read (`pg_snapshot`), on its `server` and timeline, and no later than `until`.
 * An event of a later commit is excluded, even if its transaction began earlier.
 */
export type Seen = { readonly snapshot: string; readonly server: string; readonly until: Date };

/** The running transactions that fit into a token of 512 characters. Later transactions count as not seen. */
const RUNNING_MAX = 32;

/** The operation that returns the token. The token of another user is refused. */
const SOURCE: OperationId = "listNotifications";
const contextOf = (userId: string) => ({ operation: SOURCE, seen: userId, on: "server" });
/** The context of tokens of 1.0.0, which have no server, and an `until` a minute later. See `marking`. */
const contextBefore = (userId: string) => ({ operation: SOURCE, seen: userId });

/** Encodes the token of a list. `eventTimes` are the times of the newest events of its notifications. */
export function encodeSeen(
  cursors: Cursors,
  userId: string,
  { snapshot, server, until }: Seen,
  eventTimes: readonly string[],
): string {
  const [min = 0, max = 0, ...running] = snapshot.split(/[:,]/).filter(Boolean).map(Number);
  const cut = running[RUNNING_MAX];
  // After the clock was set back, an event can be later than the list. Compared as texts: to parse 20 takes ten times as long.
  const latest = eventTimes.reduce((a, b) => (a > b ? a : b), until.toISOString());
  const numbers = [Date.parse(latest), min, (cut ?? max) - min, ...running.slice(0, RUNNING_MAX).map((it) => it - min)];
  return cursors.of(contextOf(userId)).encode([server, ...numbers]);
}

/** Decodes the token of a list of this user. Throws `Failure(invalid_cursor)` for any other token. */
export function decodeSeen(cursors: Cursors, userId: string, token: string): Seen {
  const read = (context: ReturnType<typeof contextBefore>) => cursors.of(context).decode("seen", token);
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
