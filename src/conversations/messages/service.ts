import { randomUUIDv7 } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { createBatches } from "../../util/batches.ts";
import type { Input, Output } from "../../contract/contract.ts";
import type { Database, Db, Tx } from "../../database/client.ts";
import { isSerializationFailure, isUniqueViolation } from "../../database/database-failure.ts";
import type { Runner } from "../../database/statement.ts";
import { found, unavailable } from "../../failure.ts";
import { bareKey, inProgress, keyOf, keyReused } from "../../idempotency/idempotency.ts";
import { invalidCursor, type Cursors } from "../../lists/cursor.ts";
import { conflictingParameters, cursorIn, cursorTo } from "../../lists/list.ts";
import { requireMember } from "../members/service.ts";
import {
  BY_SEQUENCE,
  findMessage,
  findMessageByKey,
  findMessages,
  insertMessages,
  markOf,
  type MessageRow,
  type NewMessage,
} from "./store.ts";
import { toMessage } from "./wire.ts";

type Sent = { readonly message: MessageRow; readonly replayed: boolean };
export type SendMessage = (input: Input<"createMessage">) => Promise<Sent>;

/** How often a send is attempted while members join or leave, or while another process uses the same idempotency key. */
const ATTEMPTS = 10;
/** How long a retry waits for an attempt with the same key in this process. */
const RETRY_WAIT_MAX_MS = 3_000;
/** Equal to `lock_timeout` of PostgreSQL, so that the sends behind a blocked one fail when it does. */
const WAIT_MAX_MS = 5_000;
/** How many messages one statement sends. */
const BATCH_MAX = 64;

/**
 * Sends one message for each idempotency key of a sender in a conversation. The key never expires, because it is a column of
 * the message. A retry during the first attempt waits for it here and not in the database, where many waiting retries would
 * hold all connections. Messages that arrive while others of their conversation are sent are combined into one statement.
 */
export function createSendMessage(pool: Runner, db: Db): SendMessage {
  const running = new Map<string, Promise<Sent>>();
  const insert = createBatches<NewMessage, Awaited<ReturnType<typeof insertMessages>>[number]>(
    (batch, conversationId) =>
      insertMessages(pool, conversationId, batch).catch((error: unknown) => {
        // Another process has just used a key, a sender has just left, or a deadlock has ended this attempt.
        if (isUniqueViolation(error) || isSerializationFailure(error)) return batch.map(() => null);
        throw error;
      }),
    { max: BATCH_MAX, waitMaxMs: WAIT_MAX_MS, retriesAlone: true },
  );

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
    const message = { id: randomUUIDv7(), conversationId, senderId, senderName, body, idempotencyKey };
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const place = await insert(message, conversationId);
      if (place !== null) return { message: { ...message, ...place }, replayed: false };
      await requireMember(db, conversationId, senderId);
      const earlier = await findMessageByKey(pool, conversationId, senderId, idempotencyKey);
      if (earlier === null) continue;
      if (earlier.body !== body) throw keyReused();
      // The id is that of this attempt if its first batch was committed, but the connection was lost before it said so.
      return { message: earlier, replayed: earlier.id !== message.id };
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
 * messages. `prev_cursor` is always present, so that a client can poll for new messages. A cursor names a message: if there is
 * another one with its sequence, or none, the history has gone back, and messages would be skipped.
 */
export async function listMessages(
  { db, pool }: Pick<Database, "db" | "pool">,
  cursors: Cursors,
  input: Input<"listMessages">,
): Promise<Output<"listMessages">> {
  const { conversationId } = input.path;
  const { userId } = input.principal;
  const { before, after, limit } = input.query;
  if (before !== undefined && after !== undefined) throw conflictingParameters("before", "after");
  const parameter = after === undefined ? "before" : "after";
  const place = await placeIn(cursors, input, parameter).catch(async (error: unknown) => {
    await requireMember(db, conversationId, userId);
    throw error;
  });
  const direction = parameter === "after" ? "asc" : "desc";
  const window = { order: BY_SEQUENCE, direction, position: place && [place.sequence], take: limit } as const;
  const read = await findMessages(pool, conversationId, userId, window, place?.named ?? null);
  if (read === null) {
    await requireMember(db, conversationId, userId);
    throw unavailable();
  }
  if (place !== undefined && !isThere(place, read, parameter)) throw invalidCursor(parameter);
  const cursor = ({ sequence, named, mark }: Place) =>
    cursorTo(cursors, input, BY_SEQUENCE, { sequence }, mark === null ? [] : [named, mark]);
  const rows = parameter === "after" ? read.messages.toReversed() : read.messages;
  const [newest, oldest] = endsOf(rows, parameter === "after" ? place && { ...place, mark: read.mark } : undefined);
  const page = {
    limit,
    next_cursor: oldest.sequence > 1 ? cursor(oldest) : null,
    prev_cursor: cursor(newest),
    has_newer: read.newest > newest.sequence,
  };
  return { status: 200, body: { data: rows.map(toMessage), page } };
}

/** A place in the order of messages. `mark` is that of the message with the sequence `named`; null if the cursor has none. */
type Place = { readonly sequence: number; readonly named: number; readonly mark: string | null };
type Direction = "before" | "after";

/** The place of a cursor. Those of 1.0.0 have no mark, and neither has the one before the first message. */
async function placeIn(cursors: Cursors, input: Input<"listMessages">, parameter: Direction): Promise<Place | undefined> {
  const cursor = cursorIn(cursors, input, parameter, BY_SEQUENCE);
  if (cursor === undefined) return undefined;
  const sequence = Number(cursor.position[0]);
  const [named = sequence, mark = null] = cursor.mark;
  return { sequence, named: Number(named), mark: mark === null ? null : String(mark) };
}

/** Whether the conversation has the message that a cursor names, or at least one with its sequence. */
function isThere(
  { sequence, mark }: Place,
  read: { readonly mark: string | null; readonly newest: number },
  parameter: Direction,
) {
  return mark === null ? sequence <= read.newest + (parameter === "before" ? 1 : 0) : mark === read.mark;
}

/** The places of the newest and the oldest message of a page. An empty page stays where it is, or before the first message. */
function endsOf(rows: readonly MessageRow[], place: Place | undefined): readonly [newest: Place, oldest: Place] {
  const at = ({ sequence, id }: MessageRow) => ({ sequence, named: sequence, mark: markOf(id) });
  const [newest, oldest] = [rows[0], rows.at(-1)];
  if (newest !== undefined && oldest !== undefined) return [at(newest), at(oldest)];
  const { sequence, ...of } = place ?? { sequence: 0, named: 0, mark: null };
  return [
    { sequence, ...of },
    { sequence: sequence + 1, ...of },
  ];
}
