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

/** The dependencies of the removal of conversations and members. */
export type RemovalDeps = { readonly db: Db; readonly queue: JobQueue; readonly dependents: Dependents };

/**
 * Removes a deleted conversation in batches: dependents in other areas, messages, newest first, former members, and the conversation. After a
 * crash, the next attempt continues. A conversation that is not deleted stays unchanged.
 */
export const removeConversation = job({
  name: "remove_conversation",
  queue: BACKGROUND,
  payload: z.object({ conversationId: z.uuid() }),
  async work({ db, dependents }: RemovalDeps, { conversationId }, { signal }) {
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
  // The job of these conversations has no retries left, so each gets a new job.
  scheduled(HOURLY, "conversations", async ({ db, queue }: RemovalDeps) => {
    const ids = (await findOverdue(db)).map(({ id }) => id);
    for (const conversationId of ids) await queue.enqueue(db, removeConversation, { conversationId });
    return ids.length;
  }),
] as const;
