import { randomUUIDv7 } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Input } from "../contract/contract.ts";
import type { Cursors } from "../lists/cursor.ts";
import type { Db } from "../database/client.ts";
import { isSerializationFailure, isUniqueViolation } from "../database/database-failure.ts";
import { unavailable } from "../failure.ts";
import { bareKey, inProgress, keyReused } from "../idempotency/idempotency.ts";
import { conflictingParameters, cursorTo, positionIn } from "../lists/list.ts";
import { requireMember } from "./membership.ts";
import { BY_SEQUENCE, findMessageByKey, findMessages, type MessageRow } from "./message-store.ts";
import type { InsertMessage } from "./send-statement.ts";
import type { Turns } from "./turns.ts";

type Send = { readonly conversationId: string; readonly key: string; readonly body: string };
type Sender = { readonly userId: string; readonly displayName: string };
type Sent = { readonly message: MessageRow; readonly replayed: boolean };
export type SendParts = { readonly db: Db; readonly insertMessage: InsertMessage; readonly turns: Turns };

/** How often a send is tried whose conversation gets or loses a member, or whose key is used, in the same moment. */
const ATTEMPTS = 10;
/** How long a retry waits for an attempt of this process under its key. */
const RETRY_WAIT_MAX_MS = 3_000;

/** The sends that this process is at, by conversation, sender and key. */
const underWay = new Map<string, Promise<unknown>>();

/**
 * Sends a message once for each key of this sender in this conversation, for ever: the key is part of the message's own
 * row. A retry that overtakes its first attempt waits for it, here rather than in the database, where a crowd of them
 * would hold every connection.
 */
export async function sendMessage(parts: SendParts, sender: Sender, { conversationId, key, body }: Send): Promise<Sent> {
  const idempotencyKey = bareKey(key);
  const name = `${conversationId} ${sender.userId} ${idempotencyKey}`;
  const first = underWay.get(name);
  if (first !== undefined) {
    const isOver = await Promise.race([first.then(...BOTH_TRUE), delay(RETRY_WAIT_MAX_MS, false)]);
    if (!isOver) throw inProgress(undefined);
    return sendOnce(parts, sender, { conversationId, body, idempotencyKey });
  }
  const attempt = sendOnce(parts, sender, { conversationId, body, idempotencyKey });
  underWay.set(name, attempt);
  return attempt.finally(() => underWay.delete(name));
}

const BOTH_TRUE = [() => true, () => true] as const;

/**
 * Whoever sends in one conversation takes turns, so that a busy one holds one connection and not all of them. When
 * nothing was sent, it is asked why: membership first, as it is asked anew each time, and then the key.
 */
async function sendOnce(
  { db, insertMessage, turns }: SendParts,
  { userId: senderId, displayName: senderName }: Sender,
  { conversationId, body, idempotencyKey }: { conversationId: string; body: string; idempotencyKey: string },
): Promise<Sent> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const id = randomUUIDv7();
    const message = { id, notificationId: randomUUIDv7(), conversationId, senderId, senderName, body, idempotencyKey };
    const place = await turns(conversationId, () => insertMessage(message)).catch((error: unknown) => {
      // The same send by another process, which was faster: its message can be seen now.
      if (isUniqueViolation(error) || isSerializationFailure(error)) return null;
      throw error;
    });
    if (place !== null) return { message: { id, conversationId, senderId, body, ...place }, replayed: false };
    await requireMember(db, conversationId, senderId);
    const earlier = await findMessageByKey(db, conversationId, senderId, idempotencyKey);
    if (earlier === null) continue;
    if (earlier.body !== body) throw keyReused();
    return { message: earlier, replayed: true };
  }
  throw unavailable();
}

/**
 * One page of the history, newest first. As sequences have no gap, the position alone tells whether there is more on
 * either side; `prev_cursor` is always there, so that a client can poll from it.
 */
export async function readHistory(db: Db, cursors: Cursors, input: Input<"listMessages">) {
  const { conversationId } = input.path;
  const { before, after, limit } = input.query;
  if (before !== undefined && after !== undefined) throw conflictingParameters("before", "after");
  await requireMember(db, conversationId, input.principal.userId);
  const [older] = (positionIn(cursors, input, "before", BY_SEQUENCE) ?? []) as [number?];
  const [newer] = (positionIn(cursors, input, "after", BY_SEQUENCE) ?? []) as [number?];
  const find = (direction: "asc" | "desc", from: number | undefined, take: number) =>
    findMessages(db, conversationId, { order: BY_SEQUENCE, direction, position: from === undefined ? undefined : [from], take });
  const rows = newer === undefined ? await find("desc", older, limit) : (await find("asc", newer, limit)).reverse();
  const oldest = rows.at(-1)?.sequence ?? (newer === undefined ? 1 : newer + 1);
  const newest = rows[0]?.sequence ?? newer ?? (older ?? 1) - 1;
  const cursor = (sequence: number) => cursorTo(cursors, input, BY_SEQUENCE, { sequence });
  const hasNewer = (await find("asc", newest, 1)).length > 0;
  return {
    rows,
    page: { limit, next_cursor: oldest > 1 ? cursor(oldest) : null, prev_cursor: cursor(newest), has_newer: hasNewer },
  };
}
