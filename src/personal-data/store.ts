import { Prisma } from "#generated/prisma/client.ts";
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

/** Marks a user as deleted, if there is one. From now on, the user doesn't exist for any request. */
export async function markUserDeleted(tx: Tx, userId: string): Promise<boolean> {
  const marked = await tx.$executeRaw`
    UPDATE users SET deleted_at = coalesce(deleted_at, now()) WHERE id = ${userId}::uuid AND id <> ${NOBODY}::uuid`;
  return marked === 1;
}

export type DeletedUser = { readonly id: string; readonly displayName: string; deletedForSeconds(): number };

/** A user who is deleted, and not removed yet. */
export async function findDeletedUser(tx: Tx, userId: string): Promise<DeletedUser | null> {
  const startedMs = performance.now();
  const [row] = await tx.$queryRaw<{ displayName: string; seconds: number }[]>`
    SELECT display_name AS "displayName", extract(epoch FROM now() - deleted_at)::float8 AS seconds
    FROM users WHERE id = ${userId}::uuid AND deleted_at IS NOT NULL`;
  if (row === undefined) return null;
  const { displayName, seconds } = row;
  return { id: userId, displayName, deletedForSeconds: () => seconds + (performance.now() - startedMs) / 1_000 };
}

/** Deleted users whose data should have been removed by now, at most one batch. */
export async function findOverdueUsers(tx: Tx): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM users WHERE deleted_at < now() - interval '1 day' AND id <> ${NOBODY}::uuid ORDER BY deleted_at LIMIT 100`;
  return rows.map(({ id }) => id);
}

export async function insertNobody(tx: Tx): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO users (id, display_name, deleted_at) VALUES (${NOBODY}::uuid, ${NAME_OF_NOBODY}, now()) ON CONFLICT DO NOTHING`;
}

/** Some of the conversations that a user is or was a member of. */
export async function findConversationsOf(tx: Tx, userId: string): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    (SELECT conversation_id AS id FROM members WHERE user_id = ${userId}::uuid LIMIT ${BATCH_SIZE})
    UNION SELECT conversation_id FROM former_members WHERE user_id = ${userId}::uuid LIMIT ${BATCH_SIZE}`;
  return rows.map(({ id }) => id);
}

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

/** Removes the author, the text and the key of some messages, and returns their number. Their sequences must have no gaps. */
export function eraseMessages(tx: Tx, userId: string): Promise<number> {
  return tx.$executeRaw`
    UPDATE messages SET sender_id = ${NOBODY}::uuid, body = ${DELETED_TEXT}, idempotency_key = id::text
    WHERE (conversation_id, sequence) IN (
      SELECT conversation_id, sequence FROM messages WHERE sender_id = ${userId}::uuid LIMIT ${BATCH_SIZE})`;
}

/**
 * Removes the name and the words of a user from some of the notifications about a conversation, and returns their number. One
 * that a process of 1.0.0 has written can have another actor or none, so its message tells, too.
 */
export function eraseFromNotifications(tx: Tx, conversationId: string, { id, displayName }: DeletedUser): Promise<number> {
  return tx.$executeRaw`
    UPDATE notifications SET actor_id = ${NOBODY}::uuid, body = CASE WHEN body IS NOT NULL THEN ${DELETED_TEXT} END,
      title = CASE WHEN starts_with(title, ${displayName} || ' ')
        THEN left(${NAME_OF_NOBODY} || substr(title, length(${displayName}) + 1), 200)
        ELSE ${NAME_OF_NOBODY} || CASE kind WHEN 'message.created' THEN ' wrote to you' ELSE ' added you to a conversation' END END
    WHERE id IN (
      SELECT n.id FROM notifications n WHERE n.subject_id = ${conversationId} AND (
        n.actor_id = ${id}::uuid OR n.body <> ${DELETED_TEXT} AND EXISTS (
          SELECT FROM messages m
          WHERE m.id = CASE n.kind WHEN 'message.created' THEN n.resource_id::uuid END AND m.sender_id = ${id}::uuid))
      LIMIT ${BATCH_SIZE})`;
}

/** Removes what belongs to some short URLs except their codes, which are never used again. Returns their number. */
export function eraseUrls(tx: Tx, userId: string): Promise<number> {
  return tx.$executeRaw`
    UPDATE short_urls SET owner_id = ${NOBODY}::uuid, target_url = '', click_count = 0, last_clicked_at = NULL, expires_at = NULL,
      deleted_at = coalesce(deleted_at, now()), created_at = '2000-01-01Z'
    WHERE id IN (SELECT id FROM short_urls WHERE owner_id = ${userId}::uuid LIMIT ${BATCH_SIZE})`;
}

/** Gives conversations that others are still in another creator. Returns their number. */
export function eraseCreator(tx: Tx, userId: string): Promise<number> {
  return tx.$executeRaw`
    UPDATE conversations SET created_by = ${NOBODY}::uuid
    WHERE id IN (SELECT id FROM conversations WHERE created_by = ${userId}::uuid LIMIT ${BATCH_SIZE})`;
}

/** Removes the rows that belong to the user alone, in batches. */
export async function removeOwnRows(tx: Tx, userId: string): Promise<void> {
  await purge(tx, "posts", Prisma.sql`author_id = ${userId}::uuid ORDER BY created_at`);
  await purge(tx, "notifications", Prisma.sql`user_id = ${userId}::uuid ORDER BY id`);
  await purge(tx, "idempotency_keys", Prisma.sql`user_id = ${userId}::uuid ORDER BY key`);
  await purge(tx, "upload_reservations", Prisma.sql`owner_id = ${userId}::uuid ORDER BY id`);
  await removeRateLimitsOf(tx, userId);
  await eraseAuditDetails(tx, userId);
}

/**
 * Removes the row of a deleted user. False if a request that was running has added something since: its foreign key keeps the
 * row, whose lock makes any further one wait, and fail when the row is gone.
 */
export async function removeUserRow(tx: Tx, userId: string): Promise<boolean> {
  await tx.$queryRaw`SELECT 1 FROM users WHERE id = ${userId}::uuid FOR UPDATE`;
  const [left] = await tx.$queryRaw<{ any: boolean }[]>`
    SELECT EXISTS (SELECT FROM members WHERE user_id = ${userId}::uuid)
      OR EXISTS (SELECT FROM messages WHERE sender_id = ${userId}::uuid)
      OR EXISTS (SELECT FROM conversations WHERE created_by = ${userId}::uuid)
      OR EXISTS (SELECT FROM video_uploads WHERE owner_id = ${userId}::uuid)
      OR EXISTS (SELECT FROM partial_uploads WHERE owner_id = ${userId}::uuid)
      OR EXISTS (SELECT FROM short_urls WHERE owner_id = ${userId}::uuid)
      OR EXISTS (SELECT FROM posts WHERE author_id = ${userId}::uuid)
      OR EXISTS (SELECT FROM idempotency_keys WHERE user_id = ${userId}::uuid) AS any`;
  if (left!.any) return false;
  await tx.$executeRaw`DELETE FROM users WHERE id = ${userId}::uuid AND deleted_at IS NOT NULL`;
  return true;
}
