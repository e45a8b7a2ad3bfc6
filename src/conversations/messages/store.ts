import type { Message } from "#generated/prisma/client.ts";
import type { Database, Tx } from "../../database/client.ts";
import { takeNumber } from "../../database/counter.ts";
import { keyset, type Order, type Window } from "../../database/keyset.ts";
import type { NoticeInSql, NotifyInStatement } from "../../notifier.ts";

export type MessageRow = Omit<Message, "idempotencyKey">;
type KeyOfMessage = Pick<Message, "conversationId" | "senderId" | "idempotencyKey">;

/** The message that a sender sent with an idempotency key, if there is one. */
export function findMessageByKey(tx: Tx, key: KeyOfMessage): Promise<MessageRow | null> {
  return tx.message.findUnique({ where: { conversationId_senderId_idempotencyKey: key } });
}

export function findMessage(tx: Tx, conversationId: string, id: string): Promise<MessageRow | null> {
  return tx.message.findFirst({ where: { id, conversationId } });
}

/** A sequence is unique in its conversation. */
export const BY_SEQUENCE = { sequence: "number" } as const satisfies Order<string>;

export function findMessages(tx: Tx, conversationId: string, window: Window<"sequence">): Promise<MessageRow[]> {
  return tx.message.findMany(keyset(window, { conversationId }));
}

/** The sequence of the newest message of a deleted conversation. 0 if there is no message, or if it is not deleted. */
export async function newestSequence(tx: Tx, id: string): Promise<number> {
  const [row] = await tx.$queryRaw<{ newest: number | null }[]>`
    SELECT (SELECT max(sequence) FROM messages WHERE conversation_id = ${id}::uuid) AS newest
    FROM conversations WHERE id = ${id}::uuid AND deleted_at IS NOT NULL`;
  return row?.newest ?? 0;
}

/** Removes the messages with a sequence above `after`, up to and including `upTo`. */
export async function removeMessages(tx: Tx, id: string, after: number, upTo: number): Promise<void> {
  await tx.$executeRaw`
    DELETE FROM messages WHERE conversation_id = ${id}::uuid AND sequence <= ${upTo} AND sequence > ${after}`;
}

/** A message to insert. `id` and `notificationId` are UUIDs of version 7. */
type NewMessage = Omit<Message, "sequence" | "createdAt"> & {
  readonly senderName: string;
  readonly notificationId: string;
};

// The parameters of the statement.
const CONVERSATION = "$1::uuid";
const ID = "$2::uuid";
const SENDER = "$3::uuid";
const SENDER_NAME = "$4::text";
const BODY = "$5::text";
const KEY = "$6::text";
const NOTIFICATION_ID = "$7::uuid";

const NEXT_SEQUENCE = takeNumber({
  table: "conversations",
  column: "last_sequence",
  id: CONVERSATION,
  set: "last_message_at = clock_timestamp()",
  from: "allowed",
  where: "parent.members_version = allowed.members_version",
  returning: "parent.last_message_at, parent.title",
});

const NOTICE: NoticeInSql = {
  rows: `numbered, members m WHERE m.conversation_id = ${CONVERSATION} AND m.user_id <> ${SENDER}`,
  userId: "m.user_id",
  idLike: NOTIFICATION_ID,
  kind: "'message.created'",
  title: `${SENDER_NAME} || CASE WHEN numbered.title IS NULL THEN ' wrote to you' ELSE ' wrote in ' || numbered.title END`,
  body: BODY,
  subjectId: `${CONVERSATION}::text`,
  resourceType: "'message'",
  resourceId: `${ID}::text`,
  resourceHref: `'/conversations/' || ${CONVERSATION}::text || '/messages/' || ${ID}::text`,
  at: "numbered.last_message_at",
};

/**
 * Returns the statement that sends a message. It checks the membership and the idempotency key, takes the next sequence under
 * the lock of the conversation, and inserts the message and a notification for each other member. If the statement waits for
 * the lock, its snapshot has the members from before the wait, so it does nothing if `members_version` has changed. It locks
 * the conversation first, then the notifications in the order of their users, and no row that another conversation locks.
 */
const sendText = (notify: NotifyInStatement) => `
  WITH allowed AS MATERIALIZED (
    SELECT members_version FROM conversations WHERE id = ${CONVERSATION} AND deleted_at IS NULL
      AND EXISTS (SELECT FROM members WHERE conversation_id = ${CONVERSATION} AND user_id = ${SENDER})
      AND NOT EXISTS (
        SELECT FROM messages WHERE conversation_id = ${CONVERSATION} AND sender_id = ${SENDER} AND idempotency_key = ${KEY})),
  numbered AS (${NEXT_SEQUENCE}),
  sent AS (
    INSERT INTO messages (id, conversation_id, sequence, sender_id, body, idempotency_key, created_at)
    SELECT ${ID}, ${CONVERSATION}, number, ${SENDER}, ${BODY}, ${KEY}, last_message_at FROM numbered
    RETURNING sequence, created_at AS "createdAt"),
  notified AS (${notify(NOTICE)})
  SELECT sequence, "createdAt" FROM sent`;

/** Sends a message. Returns null if the sender is not a member, the key is already used, or the members have just changed. */
export type InsertMessage = (it: NewMessage) => Promise<Pick<MessageRow, "sequence" | "createdAt"> | null>;

/** Runs the statement without Prisma for speed, as the most frequent one. A named statement is prepared once per session. */
export function createInsertMessage(pool: Database["pool"], notify: NotifyInStatement): InsertMessage {
  const send = { name: "send_message", text: sendText(notify) };
  return async ({ conversationId, id, senderId, senderName, body, idempotencyKey, notificationId }) => {
    const values = [conversationId, id, senderId, senderName, body, idempotencyKey, notificationId];
    const { rows } = await pool.query<Pick<MessageRow, "sequence" | "createdAt">>({ ...send, values });
    return rows[0] ?? null;
  };
}
