// Generated: do not edit, run `npm run generate`. From src/personal-data/store.sql.

import { affectedRows, exactlyOne, many, one } from "../../src/database/statement.ts";

export type MarkUserDeletedParameters = {
  readonly userId: string;
  readonly nobody: string;
};
/** Marks a user as deleted, if there is one. From now on, the user doesn't exist for any request. */
export const markUserDeleted = affectedRows<MarkUserDeletedParameters>({
  name: "mark_user_deleted",
  text: `UPDATE users SET deleted_at = coalesce(deleted_at, now()) WHERE id = $1 AND id <> $2`,
  values: (it) => [it.userId, it.nobody],
});

export type FindDeletedUserParameters = {
  readonly userId: string;
};
export type FindDeletedUserRow = {
  readonly id: string;
  readonly displayName: string;
  readonly seconds: number;
};
export const findDeletedUser = one<FindDeletedUserParameters, FindDeletedUserRow>({
  name: "find_deleted_user",
  text: `SELECT id, display_name, extract(epoch FROM now() - deleted_at)::float8 AS "seconds!" FROM users
WHERE id = $1 AND deleted_at IS NOT NULL`,
  values: (it) => [it.userId],
  row: (it) => ({ id: it[0], displayName: it[1], seconds: it[2] }) as FindDeletedUserRow,
});

export type FindOverdueUsersParameters = {
  readonly nobody: string;
};
export type FindOverdueUsersRow = {
  readonly id: string;
};
/** Deleted users whose data should have been removed by now, at most one batch. */
export const findOverdueUsers = many<FindOverdueUsersParameters, FindOverdueUsersRow>({
  name: "find_overdue_users",
  text: `SELECT id FROM users WHERE deleted_at < now() - interval '1 day' AND id <> $1 ORDER BY deleted_at LIMIT 100`,
  values: (it) => [it.nobody],
  row: (it) => ({ id: it[0] }) as FindOverdueUsersRow,
});

export type InsertNobodyParameters = {
  readonly nobody: string;
  readonly name: string;
};
export const insertNobody = affectedRows<InsertNobodyParameters>({
  name: "insert_nobody",
  text: `INSERT INTO users (id, display_name, deleted_at) VALUES ($1, $2, now()) ON CONFLICT DO NOTHING`,
  values: (it) => [it.nobody, it.name],
});

export type FindConversationsOfParameters = {
  readonly userId: string;
  readonly batch: number;
};
export type FindConversationsOfRow = {
  readonly id: string;
};
/** Some of the conversations that a user is or was a member of. */
export const findConversationsOf = many<FindConversationsOfParameters, FindConversationsOfRow>({
  name: "find_conversations_of",
  text: `(SELECT conversation_id AS "id!" FROM members WHERE user_id = $1 LIMIT $2)
UNION SELECT conversation_id FROM former_members WHERE user_id = $1 LIMIT $2`,
  values: (it) => [it.userId, it.batch],
  row: (it) => ({ id: it[0] }) as FindConversationsOfRow,
});

export type EraseMessagesParameters = {
  readonly nobody: string;
  readonly text: string;
  readonly userId: string;
  readonly batch: number;
};
/** Removes the author, the text and the key of some messages. Their sequences must have no gaps. */
export const eraseMessages = affectedRows<EraseMessagesParameters>({
  name: "erase_messages",
  text: `UPDATE messages SET sender_id = $1, body = $2, idempotency_key = id::text
WHERE (conversation_id, sequence) IN (SELECT conversation_id, sequence FROM messages WHERE sender_id = $3 LIMIT $4)`,
  values: (it) => [it.nobody, it.text, it.userId, it.batch],
});

export type EraseFromNotificationsParameters = {
  readonly nobody: string;
  readonly text: string;
  readonly name: string;
  readonly nameOfNobody: string;
  readonly conversationId: string;
  readonly userId: string;
  readonly batch: number;
};
/** Removes the name and the words of a user from some of the notifications about a conversation. One that a process of 1.0.0 has
 * written can have another actor or none, so its message tells, too. */
export const eraseFromNotifications = affectedRows<EraseFromNotificationsParameters>({
  name: "erase_from_notifications",
  text: `UPDATE notifications SET actor_id = $1, body = CASE WHEN body IS NOT NULL THEN $2 END,
  title = CASE WHEN starts_with(title, $3::text || ' ')
    THEN left($4::text || substr(title, length($3) + 1), 200)
    ELSE $4 || CASE kind WHEN 'message.created' THEN ' wrote to you' ELSE ' added you to a conversation' END END
WHERE id IN (
  SELECT n.id FROM notifications n WHERE n.subject_id = $5 AND (
    n.actor_id = $6 OR n.body <> $2 AND EXISTS (
      SELECT FROM messages m
      WHERE m.id = CASE n.kind WHEN 'message.created' THEN n.resource_id::uuid END AND m.sender_id = $6))
  LIMIT $7)`,
  values: (it) => [it.nobody, it.text, it.name, it.nameOfNobody, it.conversationId, it.userId, it.batch],
});

export type EraseUrlsParameters = {
  readonly nobody: string;
  readonly userId: string;
  readonly batch: number;
};
/** Removes what belongs to some short URLs except their codes, which are never used again. */
export const eraseUrls = affectedRows<EraseUrlsParameters>({
  name: "erase_urls",
  text: `UPDATE short_urls SET owner_id = $1, target_url = '', click_count = 0, last_clicked_at = NULL, expires_at = NULL,
  deleted_at = coalesce(deleted_at, now()), created_at = '2000-01-01Z'
WHERE id IN (SELECT id FROM short_urls WHERE owner_id = $2 LIMIT $3)`,
  values: (it) => [it.nobody, it.userId, it.batch],
});

export type EraseCreatorParameters = {
  readonly nobody: string;
  readonly userId: string;
  readonly batch: number;
};
/** Gives conversations that others are still in another creator. */
export const eraseCreator = affectedRows<EraseCreatorParameters>({
  name: "erase_creator",
  text: `UPDATE conversations SET created_by = $1
WHERE id IN (SELECT id FROM conversations WHERE created_by = $2 LIMIT $3)`,
  values: (it) => [it.nobody, it.userId, it.batch],
});

export type RemovePostsOfParameters = {
  readonly userId: string;
  readonly batch: number;
};
export const removePostsOf = affectedRows<RemovePostsOfParameters>({
  name: "remove_posts_of",
  text: `DELETE FROM posts WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM posts WHERE author_id = $1 ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED))`,
  values: (it) => [it.userId, it.batch],
});

export type RemoveNotificationsOfParameters = {
  readonly userId: string;
  readonly batch: number;
};
export const removeNotificationsOf = affectedRows<RemoveNotificationsOfParameters>({
  name: "remove_notifications_of",
  text: `DELETE FROM notifications WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM notifications WHERE user_id = $1 ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED))`,
  values: (it) => [it.userId, it.batch],
});

export type RemoveKeysOfParameters = {
  readonly userId: string;
  readonly batch: number;
};
export const removeKeysOf = affectedRows<RemoveKeysOfParameters>({
  name: "remove_keys_of",
  text: `DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM idempotency_keys WHERE user_id = $1 ORDER BY key LIMIT $2 FOR UPDATE SKIP LOCKED))`,
  values: (it) => [it.userId, it.batch],
});

export type RemoveReservationsOfParameters = {
  readonly userId: string;
  readonly batch: number;
};
export const removeReservationsOf = affectedRows<RemoveReservationsOfParameters>({
  name: "remove_reservations_of",
  text: `DELETE FROM upload_reservations WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM upload_reservations WHERE owner_id = $1 ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED))`,
  values: (it) => [it.userId, it.batch],
});

export type LockUserParameters = {
  readonly userId: string;
};
export const lockUser = affectedRows<LockUserParameters>({
  name: "lock_user",
  text: `SELECT FROM users WHERE id = $1 FOR UPDATE`,
  values: (it) => [it.userId],
});

export type HasRowsParameters = {
  readonly userId: string;
};
export type HasRowsRow = {
  readonly any: boolean;
};
/** Whether a request that was running has added something since the user's data were removed. */
export const hasRows = exactlyOne<HasRowsParameters, HasRowsRow>({
  name: "has_rows",
  text: `SELECT EXISTS (SELECT FROM members WHERE user_id = $1)
  OR EXISTS (SELECT FROM messages WHERE sender_id = $1)
  OR EXISTS (SELECT FROM conversations WHERE created_by = $1)
  OR EXISTS (SELECT FROM video_uploads WHERE owner_id = $1)
  OR EXISTS (SELECT FROM partial_uploads WHERE owner_id = $1)
  OR EXISTS (SELECT FROM short_urls WHERE owner_id = $1)
  OR EXISTS (SELECT FROM posts WHERE author_id = $1)
  OR EXISTS (SELECT FROM idempotency_keys WHERE user_id = $1) AS "any!"`,
  values: (it) => [it.userId],
  row: (it) => ({ any: it[0] }) as HasRowsRow,
});

export type RemoveUserParameters = {
  readonly userId: string;
};
export const removeUser = affectedRows<RemoveUserParameters>({
  name: "remove_user",
  text: `DELETE FROM users WHERE id = $1 AND deleted_at IS NOT NULL`,
  values: (it) => [it.userId],
});
