import { randomUUIDv7 } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Input, Output } from "../../contract/contract.ts";
import type { Db, Tx } from "../../database/client.ts";
import { isSerializationFailure, isUniqueViolation } from "../../database/database-failure.ts";
import { found, unavailable } from "../../failure.ts";
import { bareKey, inProgress, keyOf, keyReused } from "../../idempotency/idempotency.ts";
import type { Cursors } from "../../lists/cursor.ts";
import { conflictingParameters, cursorTo, positionIn } from "../../lists/list.ts";
import { requireMember } from "../members/service.ts";
import { createSerialQueues } from "./serial-queues.ts";
import { BY_SEQUENCE, findMessage, findMessageByKey, findMessages, type InsertMessage, type MessageRow } from "./store.ts";
import { toMessage } from "./wire.ts";

type Sent = { readonly message: MessageRow; readonly replayed: boolean };
export type SendMessage = (input: Input<"createMessage">) => Promise<Sent>;

/** How often a send is attempted while members join or leave, or while another process uses the same idempotency key. */
const ATTEMPTS = 10;
/** How long a retry waits for an attempt with the same key in this process. */
const RETRY_WAIT_MAX_MS = 3_000;
/** Equal to `lock_timeout` of PostgreSQL, so that the sends behind a blocked one fail when it does. */
const QUEUE_WAIT_MAX_MS = 5_000;

/**
 * Sends one message for each idempotency key of a sender in a conversation. The key never expires, because it is a column of
 * the message. A retry during the first attempt waits for it here and not in the database, where many waiting retries would
 * hold all connections. For the same reason, the messages of one conversation are sent one at a time.
 */
export function createSendMessage(db: Db, insertMessage: InsertMessage): SendMessage {
  const running = new Map<string, Promise<Sent>>();
  const oneAtATime = createSerialQueues(QUEUE_WAIT_MAX_MS);

  return async (input) => {
    const name = JSON.stringify(keyOf(input));
    const first = running.get(name);
    if (first !== undefined) {
      const hasEnded = () => true;
      const isOver = await Promise.race([first.then(hasEnded, hasEnded), delay(RETRY_WAIT_MAX_MS, false)]);
      if (!isOver) throw inProgress(undefined);
      return send(input);
    }
    const attempt = send(input);
    running.set(name, attempt);
    return attempt.finally(() => running.delete(name));
  };

  /** If no row was inserted, finds out why: first the membership, because a retry needs it too, and then the key. */
  async function send({ principal, path: { conversationId }, header, body: { body } }: Input<"createMessage">): Promise<Sent> {
    const { userId: senderId, displayName: senderName } = principal;
    const idempotencyKey = bareKey(header["Idempotency-Key"]);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const id = randomUUIDv7();
      const message = { id, notificationId: randomUUIDv7(), conversationId, senderId, senderName, body, idempotencyKey };
      const place = await oneAtATime(conversationId, () => insertMessage(message)).catch((error: unknown) => {
        // Another process sent a message with the same key first, and its row is now visible. Or a deadlock ended this attempt.
        if (isUniqueViolation(error) || isSerializationFailure(error)) return null;
        throw error;
      });
      if (place !== null) return { message: { id, conversationId, senderId, body, ...place }, replayed: false };
      await requireMember(db, conversationId, senderId);
      const earlier = await findMessageByKey(db, { conversationId, senderId, idempotencyKey });
      if (earlier === null) continue;
      if (earlier.body !== body) throw keyReused();
      return { message: earlier, replayed: true };
    }
    throw unavailable();
  }
}

/** Reads a message. The user must be a member of its conversation. */
export async function readMessage(tx: Tx, conversationId: string, id: string, userId: string): Promise<MessageRow> {
  await requireMember(tx, conversationId, userId);
  return found(await findMessage(tx, conversationId, id), "message");
}

/**
 * Reads one page of messages, newest first. Sequences have no gaps, so a sequence above 1 means that there are older
 * messages. `prev_cursor` is always present, so that a client can poll for new messages.
 */
export async function listMessages(tx: Tx, cursors: Cursors, input: Input<"listMessages">): Promise<Output<"listMessages">> {
  const { conversationId } = input.path;
  const { before, after, limit } = input.query;
  if (before !== undefined && after !== undefined) throw conflictingParameters("before", "after");
  await requireMember(tx, conversationId, input.principal.userId);
  const [older] = (positionIn(cursors, input, "before", BY_SEQUENCE) ?? []) as [number?];
  const [newer] = (positionIn(cursors, input, "after", BY_SEQUENCE) ?? []) as [number?];
  const find = (direction: "asc" | "desc", from: number | undefined, take: number) =>
    findMessages(tx, conversationId, { order: BY_SEQUENCE, direction, position: from === undefined ? undefined : [from], take });
  const rows = newer === undefined ? await find("desc", older, limit) : (await find("asc", newer, limit)).reverse();
  const oldest = rows.at(-1)?.sequence ?? (newer === undefined ? 1 : newer + 1);
  const newest = rows[0]?.sequence ?? newer ?? (older ?? 1) - 1;
  const cursor = (sequence: number) => cursorTo(cursors, input, BY_SEQUENCE, { sequence });
  const hasNewer = (await find("asc", newest, 1)).length > 0;
  const page = { limit, next_cursor: oldest > 1 ? cursor(oldest) : null, prev_cursor: cursor(newest), has_newer: hasNewer };
  return { status: 200, body: { data: rows.map(toMessage), page } };
}
