import * as sql from "#generated/sql/conversations/messages.ts";
import type { Order, PageRequest } from "../../pagination/keyset.ts";
import type { Runner } from "../../database/statement.ts";

export { eraseMessages, findMessage, findMessageByKey, removeMessages } from "#generated/sql/conversations/messages.ts";
export type MessageRow = sql.FindMessageRow;

/** A sequence is unique in its conversation. */
export const BY_SEQUENCE = { sequence: "number" } as const satisfies Order<string>;

/** The random end of a message id. It differs from that of another message with the same sequence, as after a restore. */
export const idSuffixOf = (id: string): string => id.slice(-12);

/** The conversation and its reader. `named` is the sequence of the message in the cursor, if there is one. */
type Listed = { readonly conversationId: string; readonly userId: string; readonly named: number | null };

/** A page of messages, the newest sequence, and the id suffix of the message in the cursor; null for users who are not members. */
export async function findMessages(runner: Runner, listed: Listed, pageRequest: PageRequest<"sequence">) {
  const rows = await sql.findMessagePage(runner, pageRequest, listed);
  if (rows[0] === undefined) return null;
  const messages = rows.filter((it): it is typeof it & MessageRow => it.id !== null);
  return { messages, newest: rows[0].lastSequence, idSuffix: rows[0].mark };
}

/** The sequence of the newest message of a deleted conversation. 0 if there is no message, or if it is not deleted. */
export const newestSequence = async (runner: Runner, id: string) => (await sql.findNewestSequence(runner, { id }))?.newest ?? 0;

/** A message to insert. `id` is a UUID of version 7. */
export type NewMessage = Omit<MessageRow, keyof InsertedColumns> & { readonly idempotencyKey: string };

/** The columns that the database adds to a message. */
type InsertedColumns = Pick<MessageRow, "sequence" | "createdAt" | "senderName">;

/**
 * Inserts messages of one conversation by a function, because Prisma would need twelve round trips with the lock of the conversation. Returns
 * null for a sender who is not a member, and for a used key.
 */
export async function insertMessages(
  runner: Runner,
  conversationId: string,
  batch: readonly NewMessage[],
): Promise<readonly (InsertedColumns | null)[]> {
  // Two retries of a failed attempt can be in one batch. The second finds the message of the first.
  const once = batch.length === 1 ? batch : [...new Map(batch.map((it) => [`${it.senderId} ${it.idempotencyKey}`, it])).values()];
  const column = (name: keyof NewMessage) => once.map((it) => it[name]);
  const rows = await sql.sendMessages(runner, {
    conversationId,
    ids: column("id"),
    senderIds: column("senderId"),
    bodies: column("body"),
    keys: column("idempotencyKey"),
  });
  return batch.map(({ id }) => rows.find((it) => it.id === id) ?? null);
}
