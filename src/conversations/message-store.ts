import type { Tx } from "../database/client.ts";

export type MessageRow = {
  readonly id: string;
  readonly conversationId: string;
  readonly senderId: string;
  readonly sequence: number;
  readonly body: string;
  readonly createdAt: Date;
};

/** The message that a sender has sent under a key, if it is there. */
export function findMessageByKey(
  tx: Tx,
  conversationId: string,
  senderId: string,
  idempotencyKey: string,
): Promise<MessageRow | null> {
  return tx.message.findUnique({
    where: { conversationId_senderId_idempotencyKey: { conversationId, senderId, idempotencyKey } },
  });
}

export function findMessage(tx: Tx, conversationId: string, id: string): Promise<MessageRow | null> {
  return tx.message.findFirst({ where: { id, conversationId } });
}

/** The `limit` messages right before a sequence, or the last ones; newest first. */
export function findMessagesBefore(
  tx: Tx,
  conversationId: string,
  sequence: number | undefined,
  limit: number,
): Promise<MessageRow[]> {
  return tx.message.findMany({
    where: { conversationId, ...(sequence === undefined ? {} : { sequence: { lt: sequence } }) },
    orderBy: { sequence: "desc" },
    take: limit,
  });
}

/** The `limit` messages right after a sequence; newest first. */
export async function findMessagesAfter(tx: Tx, conversationId: string, sequence: number, limit: number): Promise<MessageRow[]> {
  const rows = await tx.message.findMany({
    where: { conversationId, sequence: { gt: sequence } },
    orderBy: { sequence: "asc" },
    take: limit,
  });
  return rows.reverse();
}
