import type { Tx } from "../../database/client.ts";
import { listStatement, type Order, type Window } from "../../database/keyset.ts";
import { columnsOf, rowStatement, statement, type RowOf, type Runner } from "../../database/statement.ts";

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

const SEND = statement({
  name: "send_messages",
  takes: ["uuid", "uuid[]", "uuid[]", "text[]", "text[]", "text[]"],
  gives: { id: "uuid", sequence: "int", createdAt: "instant" },
  text: "SELECT id, sequence, created_at FROM send_messages($1, $2, $3, $4, $5, $6)",
});

type Place = Pick<MessageRow, "sequence" | "createdAt">;

/**
 * Sends messages in one conversation, in the database, because Prisma would need a transaction of twelve round trips under the
 * lock of the conversation. Returns null for each whose sender is not a member or whose key is already used.
 */
export async function insertMessages(
  runner: Runner,
  conversationId: string,
  batch: readonly NewMessage[],
): Promise<readonly (Place | null)[]> {
  // Two retries can be in one batch after their first attempt has failed. The second finds the message of the first.
  const once = [...new Map(batch.map((it) => [`${it.senderId} ${it.idempotencyKey}`, it])).values()];
  const column = (name: keyof NewMessage) => once.map((it) => it[name]);
  const texts = [column("senderName"), column("body"), column("idempotencyKey")] as const;
  const rows = await SEND(runner, conversationId, column("id"), column("senderId"), ...texts);
  const places = new Map(rows.map((it) => [it.id, it]));
  return batch.map((it) => places.get(it.id) ?? null);
}
