import type { Logger } from "pino";
import { removeDeletedMember } from "../conversations/members/service.ts";
import { transaction, type Db } from "../database/client.ts";
import { removeJobsOf } from "../jobs/store.ts";
import type { JobQueue } from "../jobs/jobs.ts";
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
  findUploadsOf,
  insertNobody,
  markUserDeleted,
  removeOwnRows,
  removeUserRow,
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
 * Removes a deleted user and everything of theirs, in batches. An interrupted removal continues with what is left. Requests
 * that began before the deletion can still add something, so it begins again until nothing is left.
 */
export async function eraseUser(env: ErasureEnv, userId: string, signal: AbortSignal): Promise<void> {
  const { db } = env;
  const user = await findDeletedUser(db, userId);
  if (user === null) return;
  await insertNobody(db);
  for (let isGone = false; !isGone;) {
    // First the conversations: who is not a member can't send another message.
    await leaveConversations(env, userId, signal);
    await repeat(() => eraseMessages(db, userId), signal);
    for (let after = await eraseFromNotifications(db, user.displayName, null); after !== null;) {
      signal.throwIfAborted();
      after = await eraseFromNotifications(db, user.displayName, after);
    }
    await removeUploads(env, userId, signal);
    await repeat(() => eraseUrls(db, userId), signal);
    await repeat(() => eraseCreator(db, userId), signal);
    await removeOwnRows(db, userId);
    signal.throwIfAborted();
    isGone = await transaction(db, async (tx) => {
      if (!(await removeUserRow(tx, userId))) return false;
      // Including the job that does this.
      await removeJobsOf(tx, userId);
      return true;
    });
  }
  env.log.info({ audit: "user.deleted", user_id: userId }, "a user and everything of theirs was removed");
}

async function repeat(batch: () => Promise<number>, signal: AbortSignal): Promise<void> {
  while ((await batch()) > 0) signal.throwIfAborted();
}

async function leaveConversations({ db, queue }: ErasureEnv, userId: string, signal: AbortSignal): Promise<void> {
  for (let ids = await findConversationsOf(db, userId); ids.length > 0; ids = await findConversationsOf(db, userId))
    for (const id of ids) {
      signal.throwIfAborted();
      await removeDeletedMember(db, queue, id, userId);
    }
}

async function removeUploads(env: ErasureEnv, ownerId: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { partials, uploads } = await findUploadsOf(env.db, ownerId);
    if (partials.length + uploads.length === 0) return;
    // In this order, because an upload leaves the first table when it enters the second.
    for (const id of partials) {
      signal.throwIfAborted();
      await deleteUpload(env, id, async (tx) => (await removePartial(tx, id, { ownerId })) ?? removeUpload(tx, ownerId, id));
    }
    for (const id of uploads) {
      signal.throwIfAborted();
      await deleteUpload(env, id, (tx) => removeUpload(tx, ownerId, id));
    }
  }
}
