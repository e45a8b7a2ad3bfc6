import { takeNumber } from "../database/counter.ts";
import type { RunStatement } from "../database/statement.ts";
import type { NoticeInSql, NotifyInStatement } from "../notifier.ts";

/** A message as it is sent; `id` and `notificationId` are UUIDs of version 7. */
export type NewMessage = {
  readonly id: string;
  readonly conversationId: string;
  readonly senderId: string;
  readonly senderName: string;
  readonly body: string;
  readonly idempotencyKey: string;
  readonly notificationId: string;
};
/** Where it stands. */
export type Place = { readonly sequence: number; readonly createdAt: Date };

// The values of the statement, in the order of their numbers.
const CONVERSATION = "$1::uuid";
const ID = "$2::uuid";
const SENDER = "$3::uuid";
const SENDER_NAME = "$4::text";
const BODY = "$5::text";
const BODY_SHOWN = "$6::text";
const KEY = "$7::text";
const NOTIFICATION_ID = "$8::uuid";
const KEPT_SINCE = "$9::timestamptz";

const NOTICE: NoticeInSql = {
  rows: `raised, members m WHERE m.conversation_id = ${CONVERSATION} AND m.user_id <> ${SENDER}`,
  userId: "m.user_id",
  idLike: NOTIFICATION_ID,
  kind: "message.created",
  title: `CASE WHEN raised.title IS NULL THEN ${SENDER_NAME} || ' wrote to you' ELSE ${SENDER_NAME} || ' wrote in ' || raised.title END`,
  body: BODY_SHOWN,
  subjectId: `${CONVERSATION}::text`,
  resource: {
    type: "message",
    id: `${ID}::text`,
    href: `'/conversations/' || ${CONVERSATION}::text || '/messages/' || ${ID}::text`,
  },
  at: "raised.last_message_at",
  keptSince: KEPT_SINCE,
};

/** `last_sequence` counts the messages of a conversation. */
const NEXT_SEQUENCE = takeNumber(
  { table: "conversations", column: "last_sequence" },
  {
    id: CONVERSATION,
    set: "last_message_at = clock_timestamp()",
    from: "seen",
    where: "parent.members_version = seen.members_version",
    returning: "parent.last_message_at, parent.title",
  },
);

/**
 * All of a send at once: is the sender a member, has the key been used, the next sequence under the conversation's lock,
 * the message, and an entry for each other member. A statement that waits for the lock sees the members of before it
 * waited, so it does nothing when they have changed meanwhile. The one lock of the conversation comes first and then the
 * entries, in the order of their users; no row is locked that another conversation locks.
 */
const sendText = (notify: NotifyInStatement) => `
  WITH seen AS MATERIALIZED (
    SELECT members_version FROM conversations WHERE id = ${CONVERSATION} AND deleted_at IS NULL
      AND EXISTS (SELECT FROM members WHERE conversation_id = ${CONVERSATION} AND user_id = ${SENDER})
      AND NOT EXISTS (
        SELECT FROM messages WHERE conversation_id = ${CONVERSATION} AND sender_id = ${SENDER} AND idempotency_key = ${KEY})),
  raised AS (${NEXT_SEQUENCE}),
  sent AS (
    INSERT INTO messages (id, conversation_id, sequence, sender_id, body, idempotency_key, created_at)
    SELECT ${ID}, ${CONVERSATION}, number, ${SENDER}, ${BODY}, ${KEY}, last_message_at FROM raised
    RETURNING sequence, created_at AS "createdAt"),
  told AS (${notify.insert(NOTICE)})
  SELECT sequence, "createdAt" FROM sent`;

/** Sends it in one statement; null when it was not: the sender is no member, the key was used, or the members have just changed. */
export type InsertMessage = (it: NewMessage) => Promise<Place | null>;

export function createInsertMessage(run: RunStatement, notify: NotifyInStatement): InsertMessage {
  const send = { name: "send_message", text: sendText(notify) };
  return async ({ conversationId, id, senderId, senderName, body, idempotencyKey, notificationId }) => {
    const told = [notify.cutBody(body), idempotencyKey, notificationId, notify.keptSince()];
    const [place] = await run<Place>(send, [conversationId, id, senderId, senderName, body, ...told]);
    return place ?? null;
  };
}
