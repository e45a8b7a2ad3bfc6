import * as sql from "#generated/sql/personal-data.ts";
import { eraseAuditDetails } from "../audit-trail/store.ts";
import type { Tx } from "../database/client.ts";
import { purge } from "../database/purge.ts";
import { removeRateLimitsOf } from "../rate-limits/store.ts";

/** The user who has what must stay when its user is deleted: the numbers of messages, and short codes that are never reused. */
export const NOBODY = "00000000-0000-7000-8000-000000000000";
const NAME_OF_NOBODY = "A deleted user";
/** The text of a message whose sender was deleted. */
export const DELETED_TEXT = "This message was deleted.";

const BATCH_SIZE = 1_000;

export const markUserDeleted = async (tx: Tx, userId: string): Promise<boolean> =>
  (await sql.markUserDeleted(tx, { userId, nobody: NOBODY })) === 1;

export type DeletedUser = { readonly id: string; readonly displayName: string; deletedForSeconds(): number };

/** A user who is deleted, and not removed yet. */
export async function findDeletedUser(tx: Tx, userId: string): Promise<DeletedUser | null> {
  const startedMs = performance.now();
  const row = await sql.findDeletedUser(tx, { userId });
  if (row === null) return null;
  const { id, displayName, seconds } = row;
  return { id, displayName, deletedForSeconds: () => seconds + (performance.now() - startedMs) / 1_000 };
}

/** Deleted users whose data should have been removed by now, at most one batch. */
export const findOverdueUsers = async (tx: Tx): Promise<string[]> =>
  (await sql.findOverdueUsers(tx, { nobody: NOBODY })).map(({ id }) => id);

export const insertNobody = (tx: Tx) => sql.insertNobody(tx, { nobody: NOBODY, name: NAME_OF_NOBODY });

/** Some of the conversations that a user is or was a member of. */
export const findConversationsOf = async (tx: Tx, userId: string): Promise<string[]> =>
  (await sql.findConversationsOf(tx, { userId, batch: BATCH_SIZE })).map(({ id }) => id);

/** Removes the last trace of a membership. */
export async function forgetFormerMember(tx: Tx, userId: string, conversationId: string): Promise<void> {
  await tx.formerMember.deleteMany({ where: { userId, conversationId } });
}

/** Some of the uploads of a user, complete ones and others. */
export async function findUploadsOf(tx: Tx, userId: string) {
  const [where, select, take] = [{ ownerId: userId }, { id: true }, 100] as const;
  const partials = await tx.partialUpload.findMany({ where, select, take });
  const uploads = await tx.videoUpload.findMany({ where, select, take });
  return { partials: partials.map((it) => it.id), uploads: uploads.map((it) => it.id) };
}

/** The owners of uploads in any state, by id. Reads in this order, because an upload leaves each table when it enters the next. */
export async function findOwners(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const [where, select] = [{ id: { in: [...new Set(ids)] } }, { id: true, ownerId: true } as const];
  const found = [
    ...(await tx.uploadReservation.findMany({ where, select })),
    ...(await tx.partialUpload.findMany({ where, select })),
    ...(await tx.videoUpload.findMany({ where, select })),
  ];
  return new Map(found.map((it) => [it.id, it.ownerId]));
}

const ofUser = (userId: string) => ({ userId, nobody: NOBODY, batch: BATCH_SIZE });

/** Each erases some rows of a user, and returns their number. */
export const eraseMessages = (tx: Tx, userId: string) => sql.eraseMessages(tx, { ...ofUser(userId), text: DELETED_TEXT });
export const eraseUrls = (tx: Tx, userId: string) => sql.eraseUrls(tx, ofUser(userId));
export const eraseCreator = (tx: Tx, userId: string) => sql.eraseCreator(tx, ofUser(userId));
export const eraseFromNotifications = (tx: Tx, conversationId: string, { id, displayName: name }: DeletedUser) =>
  sql.eraseFromNotifications(tx, { ...ofUser(id), conversationId, name, text: DELETED_TEXT, nameOfNobody: NAME_OF_NOBODY });

/** Removes the rows that belong to the user alone, in batches. */
export async function removeOwnRows(tx: Tx, userId: string): Promise<void> {
  await purge((batch) => sql.removePostsOf(tx, { userId, batch }));
  await purge((batch) => sql.removeNotificationsOf(tx, { userId, batch }));
  await purge((batch) => sql.removeKeysOf(tx, { userId, batch }));
  await purge((batch) => sql.removeReservationsOf(tx, { userId, batch }));
  await removeRateLimitsOf(tx, userId);
  await eraseAuditDetails(tx, userId);
}

/**
 * Removes the row of a deleted user. False if a request that was running has added something since: its foreign key keeps the
 * row, whose lock makes any further one wait, and fail when the row is gone.
 */
export async function removeUserRow(tx: Tx, userId: string): Promise<boolean> {
  await sql.lockUser(tx, { userId });
  if ((await sql.hasRows(tx, { userId })).any) return false;
  await sql.removeUser(tx, { userId });
  return true;
}
