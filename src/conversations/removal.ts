import type { Db, Tx } from "../database/client.ts";

/** Leaves the rows of a conversation that was deleted to a job, in the transaction. */
export type RemoveLater = (tx: Tx, conversationId: string) => Promise<void>;

/** How many messages one transaction removes. */
const REMOVED_AT_ONCE = 5_000;
/** After so long a job has had its tries, and the hourly maintenance begins anew. */
const FORGOTTEN = "1 day";

/** Takes a conversation from everybody at once; its messages are removed by a job. */
export async function markDeleted(tx: Tx, id: string): Promise<void> {
  await tx.$executeRaw`UPDATE conversations SET deleted_at = now() WHERE id = ${id}::uuid`;
}

/**
 * Removes the messages of a conversation that was deleted, from the newest down in transactions of a few thousand, and
 * then the conversation. Begun again after a crash, it goes on where it was; a conversation that stands is left alone.
 */
export async function removeConversation(db: Db, id: string, signal: AbortSignal): Promise<void> {
  const [found] = await db.$queryRaw<{ newest: number }[]>`
    SELECT coalesce((SELECT max(sequence) FROM messages WHERE conversation_id = ${id}::uuid), 0) AS newest
    FROM conversations WHERE id = ${id}::uuid AND deleted_at IS NOT NULL`;
  if (found === undefined) return;
  for (let newest = found.newest; newest > 0; newest -= REMOVED_AT_ONCE) {
    signal.throwIfAborted();
    await db.$executeRaw`
      DELETE FROM messages WHERE conversation_id = ${id}::uuid AND sequence <= ${newest} AND sequence > ${newest - REMOVED_AT_ONCE}`;
  }
  await db.$executeRaw`DELETE FROM conversations WHERE id = ${id}::uuid AND deleted_at IS NOT NULL`;
}

/** Leaves to jobs again, as far as a batch, what earlier ones have given up, and says how much there was. */
export async function leaveForgotten(db: Db, removeLater: RemoveLater): Promise<number> {
  const forgotten = await db.$queryRaw<{ id: string }[]>`
    SELECT id FROM conversations WHERE deleted_at < now() - ${FORGOTTEN}::interval ORDER BY deleted_at LIMIT 100`;
  for (const { id } of forgotten) await removeLater(db, id);
  return forgotten.length;
}
