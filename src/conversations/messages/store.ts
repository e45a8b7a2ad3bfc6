import type { Tx } from "../../database/client.ts";
import { takeNumber } from "../../database/counter.ts";
import type { Order, Window } from "../../database/keyset.ts";
import { listStatement, columnsOf, rowStatement, statement, unplanned, type RowOf } from "../../database/old-statement.ts";
import type { Runner } from "../../database/statement.ts";
import type { NoticeInSql, NotifyInStatement } from "../../notifier.ts";

const MESSAGE = {
  id: "uuid",
  conversationId: "uuid",
  senderId: "uuid",
  sequence: "int",
  body: "text",
  createdAt: "instant",
} as const;
export type MessageRow = RowOf<typeof MESSAGE>;
const COLUMNS = columnsOf(MESSAGE);

/** In SQL so that all reads of messages have the same row. */
export const findMessage = rowStatement({
  name: "find_message",
  takes: ["uuid", "uuid"],
  gives: MESSAGE,
  text: `SELECT ${COLUMNS} FROM messages WHERE conversation_id = $1::uuid AND id = $2::uuid`,
});

/** The message that a sender sent with an idempotency key, if there is one. */
export const findMessageByKey = rowStatement({
  name: "find_message_by_key",
  takes: ["uuid", "uuid", "text"],
  gives: MESSAGE,
  text: `SELECT ${COLUMNS} FROM messages WHERE conversation_id = $1::uuid AND sender_id = $2::uuid AND idempotency_key = $3`,
});

/** A sequence is unique in its conversation. */
export const BY_SEQUENCE = { sequence: "number" } as const satisfies Order<string>;

/** What tells a message from another one with the same sequence: the end of its id, which is random. */
export const markOf = (id: string): string => id.slice(-12);

const FIND_ALL = listStatement({
  name: "find_messages",
  takes: ["uuid", "uuid", "int?"],
  gives: { lastSequence: "int", mark: "text?", ...MESSAGE, id: "uuid?" },
  order: BY_SEQUENCE,
  text: ({ andAfter, orderAndLimit }) => `
    SELECT c.last_sequence,
      (SELECT right(id::text, 12) FROM messages WHERE conversation_id = $1::uuid AND sequence = $3::int) AS mark, page.* FROM members m JOIN conversations c ON c.id = m.conversation_id LEFT JOIN (
      SELECT ${COLUMNS} FROM messages WHERE conversation_id = $1::uuid ${andAfter} ${orderAndLimit}) AS page ON true
    WHERE m.conversation_id = $1::uuid AND m.user_id = $2::uuid ${orderAndLimit}`,
});

/**
 * The messages of a window, the sequence of the newest message, and the mark of the one with the sequence `named`, if there is
 * one; null if the user is not a member. In SQL because one statement then reads the membership, the page, whether there is
 * more, and whether the cursor still fits.
 */
export async function findMessages(
  runner: Runner,
  conversationId: string,
  userId: string,
  window: Window<"sequence">,
  named: number | null,
) {
  const rows = await FIND_ALL(runner, window, conversationId, userId, named);
  if (rows[0] === undefined) return null;
  const messages = rows.filter((it): it is typeof it & MessageRow => it.id !== null);
  return { messages, newest: rows[0].lastSequence, mark: rows[0].mark };
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

/** A message to insert. `id` is a UUID of version 7. */
export type NewMessage = Omit<MessageRow, "sequence" | "createdAt"> & {
  readonly senderName: string;
  readonly idempotencyKey: string;
};

const CONVERSATION = "$1::uuid";

const LAST_SEQUENCE = takeNumber({
  table: "conversations",
  column: "last_sequence",
  id: CONVERSATION,
  count: "batch.total",
  set: "last_message_at = clock_timestamp()",
  from: "batch",
  where: "parent.members_version = batch.members_version",
  returning: "parent.last_message_at, parent.title, batch.*",
});

/** Each other member is notified of the last message that is not their own. */
const NOTICE: NoticeInSql = {
  rows: `numbered JOIN members m ON m.conversation_id = ${CONVERSATION}
    JOIN allowed last ON last.place = CASE WHEN m.user_id = numbered.last_sender THEN numbered.last_of_others ELSE numbered.total END
    LEFT JOIN (SELECT sender_id, count(*)::int AS own FROM allowed GROUP BY sender_id) AS sender ON sender.sender_id = m.user_id`,
  userId: "m.user_id",
  actorId: "last.sender_id",
  idLike: "last.id",
  kind: "'message.created'",
  title: `last.sender_name || CASE WHEN numbered.title IS NULL THEN ' wrote to you' ELSE ' wrote in ' || numbered.title END`,
  body: "last.body",
  subjectId: `${CONVERSATION}::text`,
  resourceType: "'message'",
  resourceId: "last.id::text",
  resourceHref: `'/conversations/' || ${CONVERSATION}::text || '/messages/' || last.id::text`,
  at: "numbered.last_message_at",
  events: "numbered.total - coalesce(sender.own, 0)",
};

const given = [unplanned("$2", "uuid[]"), unplanned("$3", "uuid[]"), ...["$4", "$5", "$6"].map((it) => unplanned(it, "text[]"))];

/**
 * Returns the statement that sends the messages of a batch. It checks the memberships and the idempotency keys, takes the next
 * sequences under the lock of the conversation, and inserts the messages and one notification for each other member. If the
 * statement waits for the lock, its snapshot has the members from before the wait, so it does nothing if `members_version` has
 * changed. It locks the conversation first, then the notifications in the order of their users, and no row that another
 * conversation locks.
 */
const sendText = (notify: NotifyInStatement) => `
  WITH allowed AS MATERIALIZED (
    SELECT given.*, c.members_version, row_number() OVER (ORDER BY given.n)::int AS place, count(*) OVER ()::int AS total
    FROM unnest(${given.join(", ")}) WITH ORDINALITY AS given (id, sender_id, sender_name, body, key, n)
    JOIN conversations c ON c.id = ${CONVERSATION} AND c.deleted_at IS NULL
    WHERE EXISTS (SELECT FROM members WHERE conversation_id = ${CONVERSATION} AND user_id = given.sender_id)
      AND NOT EXISTS (
        SELECT FROM messages
        WHERE conversation_id = ${CONVERSATION} AND sender_id = given.sender_id AND idempotency_key = given.key)),
  batch AS MATERIALIZED (
    SELECT newest.members_version, newest.total, newest.sender_id AS last_sender,
      (SELECT max(place) FROM allowed WHERE sender_id <> newest.sender_id) AS last_of_others
    FROM allowed AS newest WHERE newest.place = newest.total),
  numbered AS (${LAST_SEQUENCE}),
  sent AS (
    INSERT INTO messages (id, conversation_id, sequence, sender_id, body, idempotency_key, created_at)
    SELECT it.id, ${CONVERSATION}, number - numbered.total + it.place, it.sender_id, it.body, it.key, last_message_at
    FROM numbered, allowed it ORDER BY it.place
    RETURNING id, sequence, created_at),
  notified AS (${notify(NOTICE)})
  SELECT id, sequence, created_at FROM sent`;

type Place = Pick<MessageRow, "sequence" | "createdAt">;
/**
 * Sends messages in one conversation. Returns null for each whose sender is not a member or whose key is already used, and for
 * all if the members have just changed.
 */
export type InsertMessages = (conversationId: string, batch: readonly NewMessage[]) => Promise<readonly (Place | null)[]>;

/** In SQL because Prisma would need a transaction of twelve round trips under the lock of the conversation. */
export function createInsertMessages(pool: Runner, notify: NotifyInStatement): InsertMessages {
  const send = statement({
    name: "send_messages",
    takes: ["uuid", "uuid[]", "uuid[]", "text[]", "text[]", "text[]"],
    gives: { id: "uuid", sequence: "int", createdAt: "instant" },
    text: sendText(notify),
  });
  return async (conversationId, batch) => {
    // Two retries can be in one batch after their first attempt has failed. The second finds the message of the first.
    const once = [...new Map(batch.map((it) => [`${it.senderId} ${it.idempotencyKey}`, it])).values()];
    const column = (name: keyof NewMessage) => once.map((it) => it[name]);
    const keys = column("idempotencyKey");
    const rows = await send(pool, conversationId, column("id"), column("senderId"), column("senderName"), column("body"), keys);
    const places = new Map(rows.map((it) => [it.id, it]));
    return batch.map((it) => places.get(it.id) ?? null);
  };
}
