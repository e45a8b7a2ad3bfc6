import type { Tx } from "../database/client.ts";
import { keyset, type Order, type Window } from "../database/keyset.ts";

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

/** Messages are counted within their conversation. */
export const BY_SEQUENCE = { sequence: "number" } as const satisfies Order<string>;

export function findMessages(tx: Tx, conversationId: string, window: Window<"sequence">): Promise<MessageRow[]> {
  return tx.message.findMany(keyset(window, { conversationId }));
}
