import { z } from "zod";
import type { Db } from "../database/client.ts";
import { purge } from "../database/purge.ts";
import { deleteRows } from "../database/references.ts";
import type { Dependents } from "../jobs/dependents.ts";
import { job, scheduled } from "../jobs/job.ts";
import type { JobQueue } from "../jobs/jobs.ts";
import { BACKGROUND, HOURLY } from "../jobs/queues.ts";
import { findOverdue, isDeleted, removeDeleted } from "./conversations/store.ts";
import { newestSequence, removeMessages } from "./messages/store.ts";

/** How many messages one transaction removes. */
const BATCH_SIZE = 5_000;
const FORMER_MEMBERS = { table: "former_members", column: "conversation_id" };

/** What the removal of conversations and of their members needs. */
export type RemovalEnv = { readonly db: Db; readonly queue: JobQueue; readonly dependents: Dependents };

/**
 * Removes a deleted conversation in batches: what other areas keep about it, its messages, newest first, who once were its members,
 * and then the conversation. After a crash, the next attempt continues with what is left. A conversation that is not deleted stays
 * unchanged.
 */
export const removeConversation = job({
  name: "remove_conversation",
  queue: BACKGROUND,
  payload: z.object({ conversationId: z.uuid() }),
  async work({ db, dependents }: RemovalEnv, { conversationId }, { signal }) {
    if (!(await isDeleted(db, conversationId))) return;
    await dependents.removeAll(db, "conversations", conversationId, signal);
    for (let newest = await newestSequence(db, conversationId); newest > 0; newest -= BATCH_SIZE) {
      signal.throwIfAborted();
      await removeMessages(db, { id: conversationId, after: newest - BATCH_SIZE, upTo: newest });
    }
    await purge((batch) => deleteRows(db, FORMER_MEMBERS, conversationId, batch, null), { signal });
    await removeDeleted(db, { id: conversationId });
  },
});

export const conversationJobs = [
  removeConversation,
  // The removal of these conversations has no retries left, so each gets a new job.
  scheduled(HOURLY, "conversations", async ({ db, queue }: RemovalEnv) => {
    const ids = (await findOverdue(db)).map(({ id }) => id);
    for (const conversationId of ids) await queue.enqueue(db, removeConversation, { conversationId });
    return ids.length;
  }),
] as const;
