import { z } from "zod";
import type { Db } from "../database/client.ts";
import { job, scheduled } from "../jobs/job.ts";
import type { JobQueue } from "../jobs/jobs.ts";
import { BACKGROUND, HOURLY } from "../jobs/queues.ts";
import { findOverdue, removeDeleted } from "./conversations/store.ts";
import { newestSequence, removeMessages } from "./messages/store.ts";

/** How many messages one transaction removes. */
const BATCH_SIZE = 5_000;

/**
 * Removes the messages of a deleted conversation, newest first and in batches, and then the conversation. After a crash, the
 * next attempt continues with the remaining messages. A conversation that is not deleted stays unchanged.
 */
export const removeConversation = job({
  name: "remove_conversation",
  queue: BACKGROUND,
  payload: z.object({ conversationId: z.uuid() }),
  async work({ db }: { readonly db: Db }, { conversationId }, { signal }) {
    for (let newest = await newestSequence(db, conversationId); newest > 0; newest -= BATCH_SIZE) {
      signal.throwIfAborted();
      await removeMessages(db, conversationId, newest - BATCH_SIZE, newest);
    }
    await removeDeleted(db, conversationId);
  },
});

type Env = { readonly db: Db; readonly queue: JobQueue };

export const conversationJobs = [
  removeConversation,
  // The removal of these conversations has no retries left, so each gets a new job.
  scheduled(HOURLY, "conversations", async ({ db, queue }: Env) => {
    const ids = await findOverdue(db);
    for (const conversationId of ids) await queue.enqueue(db, removeConversation, { conversationId });
    return ids.length;
  }),
] as const;
