import type { Logger } from "pino";
import { lockConversation } from "../conversations/conversations/store.ts";
import { removeDeletedMember } from "../conversations/members/service.ts";
import { transaction, type Db } from "../database/client.ts";
import { removeJobsOf } from "../jobs/store.ts";
import type { Execution } from "../jobs/job.ts";
import type { JobQueue } from "../jobs/jobs.ts";
import { BACKGROUND } from "../jobs/queues.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { revokeApiKeys } from "../users/api-keys.ts";
import { deleteUpload } from "../video-uploads/service.ts";
import { removeUpload } from "../video-uploads/store.ts";
import { removePartial } from "../video-uploads/resumable/store.ts";
import {
  eraseCreator,
  eraseFromNotifications,
  eraseMessages,
  eraseUrls,
  findConversationsOf,
  findDeletedUser,
  forgetFormerMember,
  findUploadsOf,
  insertNobody,
  markUserDeleted,
  removeOwnRows,
  removeUserRow,
  type DeletedUser,
} from "./store.ts";

export type ErasureEnv = { readonly db: Db; readonly queue: JobQueue; readonly objects: ObjectStore; readonly log: Logger };

/** Makes a user disappear at once. `enqueue` adds the job that removes the rest. False if there is no such user. */
export function beginErasure(db: Db, userId: string, enqueue: (tx: Parameters<typeof markUserDeleted>[0]) => Promise<void>) {
  return transaction(db, async (tx) => {
    if (!(await markUserDeleted(tx, userId))) return false;
    await revokeApiKeys(tx, userId);
    await enqueue(tx);
    return true;
  });
}

/**
 * After this time, no request of a deleted user begins or is counted any more: a credential is looked up in 12 s at most and cached
 * for 5 s, and counting waits 3 s for a connection and takes 12 s at most.
 */
const REQUESTS_END_AFTER_SECONDS = 40;

/**
 * Removes a deleted user and everything of theirs, in batches. An interrupted removal continues with what is left. Requests
 * that began before the deletion can still add something, so it begins again until nothing is left. The row of the user stays until
 * no request can begin any more, and until then the job waits in its queue.
 */
export async function eraseUser(env: ErasureEnv, userId: string, { signal, putBack }: Pick<Execution, "signal" | "putBack">) {
  const { db } = env;
  const user = await findDeletedUser(db, userId);
  if (user === null) return;
  await insertNobody(db);
  for (let isGone = false; !isGone;) {
    // First the conversations: who is not a member can't send another message.
    await leaveConversations(env, user, signal);
    await repeat(() => eraseMessages(db, userId), signal);
    await removeUploads(env, userId, signal);
    await repeat(() => eraseUrls(db, userId), signal);
    await repeat(() => eraseCreator(db, userId), signal);
    await removeOwnRows(db, userId);
    signal.throwIfAborted();
    const secondsLeft = Math.ceil(REQUESTS_END_AFTER_SECONDS - user.deletedForSeconds());
    if (secondsLeft > 0) return transaction(db, (tx) => putBack(tx, { uncounted: true, startAfter: secondsLeft }));
    isGone = await transaction(db, async (tx) => {
      if (!(await removeUserRow(tx, userId))) return false;
      // Including the job that does this.
      await removeJobsOf(tx, { queue: BACKGROUND.name, userId });
      return true;
    });
  }
  env.log.info({ audit: "user.deleted", user_id: userId }, "a user and everything of theirs was removed");
}

async function repeat(batch: () => Promise<number>, signal: AbortSignal): Promise<void> {
  while ((await batch()) > 0) signal.throwIfAborted();
}

/** Leaves every conversation, and erases what the user caused in it, and in those that the user left earlier. */
async function leaveConversations({ db, queue }: ErasureEnv, user: DeletedUser, signal: AbortSignal): Promise<void> {
  for (let ids = await findConversationsOf(db, user.id); ids.length > 0; ids = await findConversationsOf(db, user.id))
    for (const id of ids) {
      await removeDeletedMember(db, queue, id, user.id);
      // Under its lock, because a message locks the same notifications in another order.
      const erase = () =>
        transaction(db, async (tx) => {
          await lockConversation(tx, { id });
          return eraseFromNotifications(tx, id, user);
        });
      await repeat(erase, signal);
      await forgetFormerMember(db, user.id, id);
    }
}

async function removeUploads(env: ErasureEnv, ownerId: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { partials, uploads } = await findUploadsOf(env.db, ownerId);
    if (partials.length + uploads.length === 0) return;
    // In this order, because an upload leaves the first table when it enters the second.
    for (const id of partials) {
      signal.throwIfAborted();
      await deleteUpload(
        env,
        id,
        async (tx) => (await removePartial(tx, { id, ownerId, writer: null })) ?? removeUpload(tx, { id, ownerId }),
      );
    }
    for (const id of uploads) {
      signal.throwIfAborted();
      await deleteUpload(env, id, (tx) => removeUpload(tx, { id, ownerId }));
    }
  }
}
