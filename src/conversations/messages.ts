import { randomUUIDv7 } from "node:crypto";
import type { Input, Schemas } from "../contract.ts";
import { invalidCursor, type Cursors } from "../cursor.ts";
import { transaction, type Db, type Tx } from "../db/client.ts";
import { isLockTimeout } from "../db/database-failure.ts";
import { bareKey, inProgress, keyReused } from "../db/idempotency.ts";
import { conflictingParameters } from "../pagination.ts";
import type { Notify } from "../notifier.ts";
import { readConversation, requireMember, requireMemberAndLock } from "./membership.ts";
import { findMessageByKey, findMessagesAfter, findMessagesBefore, insertMessage, type MessageRow } from "./message-store.ts";
import { findMemberIds } from "./store.ts";

type Send = { readonly conversationId: string; readonly key: string; readonly body: string };
type Sent = { readonly message: MessageRow; readonly replayed: boolean };
/** One send, as its retries name it again. */
type Keyed = {
  readonly conversationId: string;
  readonly senderId: string;
  readonly idempotencyKey: string;
  readonly body: string;
};

/** The sends that this process is at, by conversation, sender and key. */
const underWay = new Map<string, Promise<Sent>>();

/**
 * Sends a message once for each key of this sender in this conversation, for ever: the key is part of the message's own
 * row. A retry that overtakes its first attempt waits for it, here rather than in the database, where a crowd of them
 * would hold every connection. Membership is asked anew each time.
 */
export async function sendMessage(db: Db, notify: Notify, senderId: string, { conversationId, key, body }: Send): Promise<Sent> {
  const send = { conversationId, senderId, idempotencyKey: bareKey(key), body };
  const id = `${conversationId} ${senderId} ${send.idempotencyKey}`;
  const first = underWay.get(id);
  if (first !== undefined) {
    await first.catch(() => undefined);
    await requireMember(db, conversationId, senderId);
    return (await findSent(db, send)) ?? sendInOrder(db, notify, send);
  }
  const attempt = sendInOrder(db, notify, send);
  underWay.set(id, attempt);
  return attempt.finally(() => underWay.delete(id));
}

/** The message that was sent under the key, unless it is another one. */
async function findSent(tx: Tx, { conversationId, senderId, idempotencyKey, body }: Keyed): Promise<Sent | null> {
  const message = await findMessageByKey(tx, conversationId, senderId, idempotencyKey);
  if (message === null) return null;
  if (message.body !== body) throw keyReused();
  return { message, replayed: true };
}

/**
 * The conversation's lock gives every message the next sequence, in the order of the commits and without a gap, and makes
 * a retry that comes by another process wait until it can see the first attempt.
 */
async function sendInOrder(db: Db, notify: Notify, send: Keyed): Promise<Sent> {
  const { conversationId, senderId, idempotencyKey, body } = send;
  try {
    return await transaction(db, async (tx) => {
      const sender = await requireMemberAndLock(tx, conversationId, senderId);
      const earlier = await findSent(tx, send);
      if (earlier !== null) return earlier;
      const message = await insertMessage(tx, { id: randomUUIDv7(), conversationId, senderId, body, idempotencyKey });
      const others = (await findMemberIds(tx, conversationId)).filter((it) => it !== senderId);
      if (others.length > 0) {
        const { title } = await readConversation(tx, conversationId);
        await notify(tx, others, {
          kind: "message.created",
          title: title === null ? `${sender.user.displayName} wrote to you` : `${sender.user.displayName} wrote in ${title}`,
          body,
          subjectId: conversationId,
          resource: { type: "message", id: message.id, href: `/conversations/${conversationId}/messages/${message.id}` },
        });
      }
      return { message, replayed: false };
    });
  } catch (error) {
    if (isLockTimeout(error)) throw inProgress(error);
    throw error;
  }
}

/**
 * One page of the history, newest first. As sequences have no gap, the position alone tells whether there is more on
 * either side; `prev_cursor` is always there, so that a client can poll from it.
 */
export async function readHistory(
  db: Db,
  cursors: Cursors,
  userId: string,
  conversationId: string,
  query: Input<"listMessages">["query"],
): Promise<{ rows: readonly MessageRow[]; page: Schemas["MessagePageInfo"] }> {
  const { before, after, limit } = query;
  if (before !== undefined && after !== undefined) {
    throw conflictingParameters("before", "after");
  }
  await requireMember(db, conversationId, userId);
  const context = { operation: "listMessages", conversation: conversationId };
  const position = (parameter: "before" | "after"): number | undefined => {
    const token = query[parameter];
    if (token === undefined) return undefined;
    const [sequence] = cursors.decode(context, parameter, token);
    if (typeof sequence !== "number") throw invalidCursor(parameter);
    return sequence;
  };
  const [older, newer] = [position("before"), position("after")];
  const rows =
    newer === undefined
      ? await findMessagesBefore(db, conversationId, older, limit)
      : await findMessagesAfter(db, conversationId, newer, limit);
  const oldest = rows.at(-1)?.sequence ?? (newer === undefined ? 1 : newer + 1);
  const newest = rows[0]?.sequence ?? newer ?? (older ?? 1) - 1;
  const cursor = (sequence: number) => cursors.encode(context, [sequence]);
  const hasNewer = (await findMessagesAfter(db, conversationId, newest, 1)).length > 0;
  return {
    rows,
    page: { limit, next_cursor: oldest > 1 ? cursor(oldest) : null, prev_cursor: cursor(newest), has_newer: hasNewer },
  };
}
