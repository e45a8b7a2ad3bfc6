import { randomUUIDv7 } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { createBatches } from "../../util/batches.ts";
import type { Input } from "../../contract/contract.ts";
import type { Connections, Db, Tx } from "../../database/client.ts";
import { isSerializationFailure, isUniqueViolation } from "../../database/database-failure.ts";
import type { Runner } from "../../database/statement.ts";
import { Failure, orNotFound, unavailable } from "../../failure.ts";
import { bareKeyOf, inProgress, keyReused } from "../../idempotency/idempotency.ts";
import { invalidCursor } from "../../pagination/cursor.ts";
import type { ListPageRequest } from "../../pagination/list.ts";
import { requireMember } from "../members/service.ts";
import type { Publish } from "../../long-poll/topics.ts";
import * as store from "./store.ts";
import { idSuffixOf, type MessageRow, type NewMessage } from "./store.ts";

type Sent = { readonly message: MessageRow; readonly replayed: boolean };

/** The attempts while members join or leave, or while another process uses the same idempotency key. */
const ATTEMPTS = 10;
/** How long a retry waits for an attempt with the same key in this process. */
const RETRY_WAIT_MAX_MS = 3_000;
/** The maximum `lock_timeout`, so that messages behind a blocked one fail at the same time. */
const WAIT_MAX_MS = 5_000;
/** How many messages one statement sends. */
const BATCH_MAX = 64;

/**
 * Sends one message for each idempotency key of a sender in a conversation. Keys never expire, because they are a column of the message. A
 * retry waits for a running attempt here, because in the database waiting retries would hold all connections.
 * Concurrent messages of a conversation are combined into one statement.
 */
export function createSendMessage(pool: Runner, db: Db, publish: Publish): (input: Input<"createMessage">) => Promise<Sent> {
  const running = new Map<string, Promise<Sent>>();
  const insert = createBatches<NewMessage, Awaited<ReturnType<typeof store.insertMessages>>[number]>(
    async (batch, conversationId) => {
      try {
        const inserted = await store.insertMessages(pool, conversationId, batch);
        // Sending marks the notifications of the senders as read, even in a muted conversation.
        const senders = new Set(batch.map((it) => `user:${it.senderId}` as const));
        publish(...(inserted.some((it) => it !== null) ? [`conversation:${conversationId}` as const] : []), ...senders);
        return inserted;
      } catch (error) {
        // Another process has used a key, a sender has left, or this attempt was a deadlock victim.
        if (isUniqueViolation(error) || isSerializationFailure(error)) return batch.map(() => null);
        throw error;
      }
    },
    { max: BATCH_MAX, waitMaxMs: WAIT_MAX_MS, retriesAlone: true },
  );

  return async (input) => {
    const key = bareKeyOf(input);
    const name = `${input.principal.userId} ${input.path.conversationId} ${key}`;
    const first = running.get(name);
    if (first !== undefined) {
      const hasEnded = () => true;
      const isOver = await Promise.race([first.then(hasEnded, hasEnded), delay(RETRY_WAIT_MAX_MS, false, { ref: false })]);
      if (!isOver) throw inProgress(undefined);
      return send(input, key);
    }
    const attempt = send(input, key);
    running.set(name, attempt);
    return attempt.finally(() => running.delete(name));
  };

  /** If no row was inserted, finds the reason: first the membership, which a retry also needs, and then the key. */
  async function send({ principal, path, body: { body } }: Input<"createMessage">, idempotencyKey: string): Promise<Sent> {
    const { conversationId } = path;
    const { userId: senderId } = principal;
    const message = { id: randomUUIDv7(), conversationId, senderId, body, idempotencyKey };
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const inserted = await insert(message, conversationId);
      if (inserted !== null) return { message: { ...message, ...inserted }, replayed: false };
      await requireMember(db, conversationId, senderId);
      const earlier = await store.findMessageByKey(pool, { conversationId, senderId, idempotencyKey });
      if (earlier === null) continue;
      if (earlier.body !== body) throw keyReused();
      // The id is equal if an earlier batch of this attempt was committed, but its response was lost.
      return { message: earlier, replayed: earlier.id !== message.id };
    }
    throw unavailable();
  }
}

/** Reads a message. The user must be a member of its conversation. */
export async function readMessage(tx: Tx, conversationId: string, id: string, userId: string): Promise<MessageRow> {
  await requireMember(tx, conversationId, userId);
  return orNotFound(await store.findMessage(tx, { conversationId, id }), "message");
}

type ListRequest = Pick<Input<"listMessages">, "principal" | "path">;

/** Rethrows the failure of `parsePage`. In a conversation, access is checked before the cursor. */
export async function rethrowAfterAccessCheck(tx: Tx, { principal, path }: ListRequest, error: unknown): Promise<never> {
  if (error instanceof Failure && error.code === "invalid_cursor") await requireMember(tx, path.conversationId, principal.userId);
  throw error;
}

/** A position in the list of messages. `extra` has the sequence and the id suffix of the message there, if it is known. */
export type MessagePosition = { readonly sequence: number; readonly extra: readonly [] | readonly [number, string] };

/**
 * Reads one page of messages, newest first, and the positions of its newest and oldest message. A sequence above 1 means that there are
 * older messages. A cursor is refused if its message is gone or replaced, as after a restore: messages would be skipped.
 * Cursors of 1.0.0, and the cursor before the first message, have no `extra`. They are valid up to the newest sequence.
 */
export async function readMessages(
  { db, pool }: Connections,
  { principal: { userId }, path: { conversationId } }: ListRequest,
  pageRequest: ListPageRequest<"sequence">,
) {
  const isForward = pageRequest.direction === "asc";
  const sequence = pageRequest.position === undefined ? null : Number(pageRequest.position[0]);
  const [named = sequence, idSuffix] = pageRequest.extra;
  const namedSequence = named === null ? null : Number(named);
  const read = await store.findMessages(
    pool,
    { conversationId, userId, named: namedSequence },
    { ...pageRequest, take: pageRequest.limit },
  );
  if (read === null) {
    await requireMember(db, conversationId, userId);
    throw unavailable();
  }
  const isValid = idSuffix === undefined ? (sequence ?? 0) <= read.newest + (isForward ? 0 : 1) : idSuffix === read.idSuffix;
  if (!isValid) throw invalidCursor(isForward ? "after" : "before");
  const rows = isForward ? read.messages.toReversed() : read.messages;
  const atCursor: MessagePosition = {
    sequence: sequence ?? 0,
    extra: read.idSuffix === null ? [] : [namedSequence!, read.idSuffix],
  };
  const [newest, oldest] = endsOf(rows, isForward ? atCursor : { sequence: 0, extra: [] });
  return { rows, newest, oldest, hasNewer: read.newest > newest.sequence };
}

/** The positions of the newest and the oldest message of a page. An empty page is at `start`. */
function endsOf(
  rows: readonly MessageRow[],
  start: MessagePosition,
): readonly [newest: MessagePosition, oldest: MessagePosition] {
  const positionOf = ({ sequence, id }: MessageRow): MessagePosition => ({ sequence, extra: [sequence, idSuffixOf(id)] });
  const [newest, oldest] = [rows[0], rows.at(-1)];
  if (newest !== undefined && oldest !== undefined) return [positionOf(newest), positionOf(oldest)];
  return [start, { ...start, sequence: start.sequence + 1 }];
}
