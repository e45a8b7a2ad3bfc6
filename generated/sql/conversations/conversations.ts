// Generated: do not edit, run `npm run generate`. From src/conversations/conversations/store.sql.

import { page } from "../../../src/pagination/keyset.ts";
import { affectedRows, many, one } from "../../../src/database/statement.ts";

export type InsertConversationParameters = {
  readonly memberIds: readonly string[];
  readonly id: string;
  readonly title: string | null;
  readonly createdBy: string;
  readonly key: string | null;
  readonly userId: string | null;
  readonly operationId: string | null;
  readonly fingerprint: Uint8Array | null;
  readonly status: number | null;
  readonly headers: string | null;
  readonly response: string | null;
  readonly placeholder: string | null;
};
export type InsertConversationRow = {
  readonly createdAt: string;
};
/** Inserts a conversation, its members and its idempotency key, if there is one. Notifies all members except the creator. Inserts nothing
 * if a member is not a user. In SQL because Prisma would need a transaction of nine round trips. The creator becomes the owner and joins
 * first: lists of members begin with the owner, and the earliest other member inherits the conversation.
 * A part of its own reads the name of the creator: on a cluster, what reads `users` runs on one node, where it can't notify. */
export const insertConversation = one<InsertConversationParameters, InsertConversationRow>({
  name: "insert_conversation",
  text: `WITH input AS (SELECT user_id FROM unnest((SELECT $1::uuid[])) AS input (user_id)),
opened AS (
  INSERT INTO conversations (id, title, created_by) SELECT $2::uuid, $3, $4::uuid
  WHERE CASE
    WHEN EXISTS (SELECT FROM input WHERE NOT EXISTS (SELECT FROM people WHERE people.id = input.user_id)) THEN false
    WHEN $5::text IS NULL THEN true
    ELSE claim_key($6, $7, $5, $8, $9, $10, $11, $12) END
  RETURNING id, created_by, created_at),
creator AS MATERIALIZED (SELECT display_name FROM people WHERE people.id = $4::uuid),
joined AS (
  INSERT INTO members (conversation_id, user_id, role, joined_at)
  SELECT id, created_by, 'owner', created_at FROM opened
  UNION ALL SELECT id, user_id, 'member', created_at + interval '1 ms' FROM opened, input WHERE user_id <> created_by
  RETURNING user_id, role),
listed AS (
  INSERT INTO listed_conversations (user_id, conversation_id, conversation_created_at, active_hour)
  SELECT user_id, id, created_at, date_trunc('hour', created_at, 'UTC') FROM joined, opened RETURNING 1)
SELECT created_at FROM opened, add_notifications(
  array(SELECT user_id FROM joined WHERE role = 'member'), 'conversation.member_added', created_by,
  (SELECT display_name FROM creator), $3, NULL, NULL, id::text, 'conversation', id::text, '/conversations/' || id::text)`,
  values: (it) => [it.memberIds, it.id, it.title, it.createdBy, it.key, it.userId, it.operationId, it.fingerprint, it.status, it.headers, it.response, it.placeholder],
  columns: ["timestamptz"],
  row: (it) => ({ createdAt: it[0] }) as InsertConversationRow,
});

export type FindConversationParameters = {
  readonly id: string;
};
export type FindConversationRow = {
  readonly id: string;
  readonly title: string | null;
  readonly createdBy: string;
  readonly memberCount: number;
  readonly lastMessageAt: string | null;
  readonly createdAt: string;
};
/** Finds a conversation that is not deleted. In SQL because every read of it from a replica asks the primary first. */
export const findConversation = one<FindConversationParameters, FindConversationRow>({
  name: "find_conversation",
  text: `SELECT id, title, created_by, member_count, last_message_at, created_at FROM conversations WHERE id = $1 AND deleted_at IS NULL`,
  values: (it) => [it.id],
  columns: ["uuid", "varchar", "uuid", "int4", "timestamptz", "timestamptz"],
  row: (it) => ({ id: it[0], title: it[1], createdBy: it[2], memberCount: it[3], lastMessageAt: it[4], createdAt: it[5] }) as FindConversationRow,
});

export type FindConversationOfParameters = {
  readonly id: string;
  readonly userId: string;
};
export type FindConversationOfRow = {
  readonly id: string;
  readonly title: string | null;
  readonly createdBy: string;
  readonly memberCount: number;
  readonly lastMessageAt: string | null;
  readonly createdAt: string;
  readonly lastSequence: number;
  readonly lastReadSequence: number;
  readonly isMuted: boolean;
  readonly excerpt: string | null;
  readonly senderId: string | null;
  readonly sentAt: string | null;
  readonly senderName: string | null;
};
/** A conversation as a member sees it, with the columns of the view `conversations_of_members`. The second statement adds the sequence of a
 * message. Each subquery names the conversation, so that a cluster asks one node. GROUP BY makes each an index lookup. */
export const findConversationOf = one<FindConversationOfParameters, FindConversationOfRow>({
  name: "find_conversation_of",
  text: `SELECT c.id AS "id!", c.title, c.created_by AS "created_by!", c.member_count AS "member_count!", c.last_message_at,
  c.created_at AS "created_at!", c.last_sequence AS "last_sequence!",
  CASE WHEN m.last_read_sequence >= c.last_sequence THEN m.last_read_sequence
    WHEN newest.sender_id = m.user_id THEN c.last_sequence
    ELSE greatest(m.last_read_sequence, (
      SELECT own.sequence FROM messages own WHERE own.conversation_id = $1
        AND (own.sender_id, own.conversation_id) BETWEEN (m.user_id, m.conversation_id) AND (m.user_id, m.conversation_id)
      ORDER BY own.sender_id DESC, own.sequence DESC LIMIT 1)) END AS "last_read_sequence!",
  m.muted_at IS NOT NULL AS "is_muted!", newest.excerpt, newest.sender_id, newest.sent_at,
  (SELECT display_name FROM people WHERE people.id = newest.sender_id) AS sender_name
FROM members m JOIN conversations c ON c.id = m.conversation_id
  LEFT JOIN LATERAL (
    SELECT left(body, 140) AS excerpt, sender_id, created_at AS sent_at FROM messages
    WHERE conversation_id = $1 AND sequence = c.last_sequence GROUP BY conversation_id, sequence) AS newest ON true
WHERE m.conversation_id = $1 AND m.user_id = $2`,
  values: (it) => [it.id, it.userId],
  columns: ["uuid", "varchar", "uuid", "int4", "timestamptz", "timestamptz", "int4", "int4", "bool", "text", "uuid", "timestamptz", "varchar"],
  row: (it) => ({ id: it[0], title: it[1], createdBy: it[2], memberCount: it[3], lastMessageAt: it[4], createdAt: it[5], lastSequence: it[6], lastReadSequence: it[7], isMuted: it[8], excerpt: it[9], senderId: it[10], sentAt: it[11], senderName: it[12] }) as FindConversationOfRow,
});

export type FindConversationAndSequenceParameters = {
  readonly id: string;
  readonly messageId: string | null;
  readonly userId: string;
};
export type FindConversationAndSequenceRow = {
  readonly id: string;
  readonly title: string | null;
  readonly createdBy: string;
  readonly memberCount: number;
  readonly lastMessageAt: string | null;
  readonly createdAt: string;
  readonly lastSequence: number;
  readonly lastReadSequence: number;
  readonly isMuted: boolean;
  readonly excerpt: string | null;
  readonly senderId: string | null;
  readonly sentAt: string | null;
  readonly senderName: string | null;
  readonly messageSequence: number | null;
};
/** A conversation as a member sees it, with the columns of the view `conversations_of_members`. The second statement adds the sequence of a
 * message. Each subquery names the conversation, so that a cluster asks one node. GROUP BY makes each an index lookup. */
export const findConversationAndSequence = one<FindConversationAndSequenceParameters, FindConversationAndSequenceRow>({
  name: "find_conversation_and_sequence",
  text: `SELECT c.id AS "id!", c.title, c.created_by AS "created_by!", c.member_count AS "member_count!", c.last_message_at,
  c.created_at AS "created_at!", c.last_sequence AS "last_sequence!",
  CASE WHEN m.last_read_sequence >= c.last_sequence THEN m.last_read_sequence
    WHEN newest.sender_id = m.user_id THEN c.last_sequence
    ELSE greatest(m.last_read_sequence, (
      SELECT own.sequence FROM messages own WHERE own.conversation_id = $1
        AND (own.sender_id, own.conversation_id) BETWEEN (m.user_id, m.conversation_id) AND (m.user_id, m.conversation_id)
      ORDER BY own.sender_id DESC, own.sequence DESC LIMIT 1)) END AS "last_read_sequence!",
  m.muted_at IS NOT NULL AS "is_muted!", newest.excerpt, newest.sender_id, newest.sent_at,
  (SELECT display_name FROM people WHERE people.id = newest.sender_id) AS sender_name,
  (SELECT sequence FROM messages WHERE conversation_id = $1 AND id = $2::uuid) AS message_sequence
FROM members m JOIN conversations c ON c.id = m.conversation_id
  LEFT JOIN LATERAL (
    SELECT left(body, 140) AS excerpt, sender_id, created_at AS sent_at FROM messages
    WHERE conversation_id = $1 AND sequence = c.last_sequence GROUP BY conversation_id, sequence) AS newest ON true
WHERE m.conversation_id = $1 AND m.user_id = $3`,
  values: (it) => [it.id, it.messageId, it.userId],
  columns: ["uuid", "varchar", "uuid", "int4", "timestamptz", "timestamptz", "int4", "int4", "bool", "text", "uuid", "timestamptz", "varchar", "int4"],
  row: (it) => ({ id: it[0], title: it[1], createdBy: it[2], memberCount: it[3], lastMessageAt: it[4], createdAt: it[5], lastSequence: it[6], lastReadSequence: it[7], isMuted: it[8], excerpt: it[9], senderId: it[10], sentAt: it[11], senderName: it[12], messageSequence: it[13] }) as FindConversationAndSequenceRow,
});

export type FindConversationsParameters = {
  readonly userId: string;
  readonly createdAt: string;
  readonly id: string;
  readonly limit: number;
};
export type FindConversationsRow = {
  readonly id: string;
  readonly title: string | null;
  readonly createdBy: string;
  readonly memberCount: number;
  readonly lastMessageAt: string | null;
  readonly createdAt: string;
  readonly lastSequence: number;
  readonly lastReadSequence: number;
  readonly isMuted: boolean;
  readonly excerpt: string | null;
  readonly senderId: string | null;
  readonly sentAt: string | null;
  readonly senderName: string | null;
};
/** A page of a user's conversations by creation, as the user sees them. In SQL because Prisma can't sort them by a column of another table. */
export const findConversations = page<FindConversationsParameters, FindConversationsRow>({
  name: "find_conversations",
  text: {
    asc: `SELECT seen.id AS "id!", title, created_by AS "created_by!", member_count AS "member_count!", last_message_at, created_at AS "created_at!",
  last_sequence AS "last_sequence!", last_read_sequence AS "last_read_sequence!", is_muted AS "is_muted!", excerpt, sender_id, sent_at,
  sender_name
FROM (
    SELECT conversation_id, conversation_created_at FROM listed_conversations
    WHERE user_id = $1 AND (conversation_created_at, conversation_id) > ($2, $3)
    ORDER BY conversation_created_at ASC, conversation_id ASC LIMIT (SELECT $4::int)
  ) AS listed JOIN conversations_of_members seen ON seen.id = listed.conversation_id AND seen.user_id = $1
ORDER BY listed.conversation_created_at ASC, listed.conversation_id ASC`,
    desc: `SELECT seen.id AS "id!", title, created_by AS "created_by!", member_count AS "member_count!", last_message_at, created_at AS "created_at!",
  last_sequence AS "last_sequence!", last_read_sequence AS "last_read_sequence!", is_muted AS "is_muted!", excerpt, sender_id, sent_at,
  sender_name
FROM (
    SELECT conversation_id, conversation_created_at FROM listed_conversations
    WHERE user_id = $1 AND (conversation_created_at, conversation_id) < ($2, $3)
    ORDER BY conversation_created_at DESC, conversation_id DESC LIMIT (SELECT $4::int)
  ) AS listed JOIN conversations_of_members seen ON seen.id = listed.conversation_id AND seen.user_id = $1
ORDER BY listed.conversation_created_at DESC, listed.conversation_id DESC`,
  },
  limit: 4,
  values: (it) => [it.userId, it.createdAt, it.id, it.limit],
  columns: ["uuid", "varchar", "uuid", "int4", "timestamptz", "timestamptz", "int4", "int4", "bool", "text", "uuid", "timestamptz", "varchar"],
  row: (it) => ({ id: it[0], title: it[1], createdBy: it[2], memberCount: it[3], lastMessageAt: it[4], createdAt: it[5], lastSequence: it[6], lastReadSequence: it[7], isMuted: it[8], excerpt: it[9], senderId: it[10], sentAt: it[11], senderName: it[12] }) as FindConversationsRow,
});

export type FindConversationsByActivityParameters = {
  readonly userId: string;
  readonly activeAt: string;
  readonly limit: number;
  readonly id: string;
};
export type FindConversationsByActivityRow = {
  readonly id: string;
  readonly title: string | null;
  readonly createdBy: string;
  readonly memberCount: number;
  readonly lastMessageAt: string | null;
  readonly createdAt: string;
  readonly lastSequence: number;
  readonly lastReadSequence: number;
  readonly isMuted: boolean;
  readonly excerpt: string | null;
  readonly senderId: string | null;
  readonly sentAt: string | null;
  readonly senderName: string | null;
  readonly activeAt: string;
  readonly readAt: string;
};
/** A page of a user's conversations, newest message first. An index has only the hour of that message: it gives the hour of the position,
 * and whole hours before it until there are enough rows, which are then sorted. GROUP BY makes each read an index lookup. Without it,
 * PostgreSQL expects many rows, and reads them in parallel, or reads all conversations. */
export const findConversationsByActivity = page<FindConversationsByActivityParameters, FindConversationsByActivityRow>({
  name: "find_conversations_by_activity",
  text: {
    asc: `SELECT seen.id AS "id!", title, created_by AS "created_by!", member_count AS "member_count!", last_message_at, created_at AS "created_at!",
  last_sequence AS "last_sequence!", last_read_sequence AS "last_read_sequence!", is_muted AS "is_muted!", excerpt, sender_id, sent_at,
  sender_name, listed.active_at AS "active_at!", now() AS "read_at!"
FROM (
    SELECT hours.conversation_id, exact.active_at FROM (
      (SELECT conversation_id FROM listed_conversations
       WHERE user_id = $1 AND active_hour = date_trunc('hour', $2::timestamptz, 'UTC'))
      UNION ALL
      (SELECT conversation_id FROM listed_conversations
       WHERE user_id = $1 AND active_hour < date_trunc('hour', $2::timestamptz, 'UTC')
       ORDER BY active_hour ASC FETCH FIRST (SELECT $3::int) ROWS WITH TIES)) AS hours
    CROSS JOIN LATERAL (
      SELECT coalesce(last_message_at, created_at) AS active_at FROM conversations WHERE id = hours.conversation_id GROUP BY id) AS exact
    WHERE (exact.active_at, hours.conversation_id) > ($2, $4)
    ORDER BY exact.active_at ASC, hours.conversation_id ASC LIMIT $3
  ) AS listed JOIN conversations_of_members seen ON seen.id = listed.conversation_id AND seen.user_id = $1
ORDER BY listed.active_at ASC, listed.conversation_id ASC`,
    desc: `SELECT seen.id AS "id!", title, created_by AS "created_by!", member_count AS "member_count!", last_message_at, created_at AS "created_at!",
  last_sequence AS "last_sequence!", last_read_sequence AS "last_read_sequence!", is_muted AS "is_muted!", excerpt, sender_id, sent_at,
  sender_name, listed.active_at AS "active_at!", now() AS "read_at!"
FROM (
    SELECT hours.conversation_id, exact.active_at FROM (
      (SELECT conversation_id FROM listed_conversations
       WHERE user_id = $1 AND active_hour = date_trunc('hour', $2::timestamptz, 'UTC'))
      UNION ALL
      (SELECT conversation_id FROM listed_conversations
       WHERE user_id = $1 AND active_hour < date_trunc('hour', $2::timestamptz, 'UTC')
       ORDER BY active_hour DESC FETCH FIRST (SELECT $3::int) ROWS WITH TIES)) AS hours
    CROSS JOIN LATERAL (
      SELECT coalesce(last_message_at, created_at) AS active_at FROM conversations WHERE id = hours.conversation_id GROUP BY id) AS exact
    WHERE (exact.active_at, hours.conversation_id) < ($2, $4)
    ORDER BY exact.active_at DESC, hours.conversation_id DESC LIMIT $3
  ) AS listed JOIN conversations_of_members seen ON seen.id = listed.conversation_id AND seen.user_id = $1
ORDER BY listed.active_at DESC, listed.conversation_id DESC`,
  },
  limit: 3,
  values: (it) => [it.userId, it.activeAt, it.limit, it.id],
  columns: ["uuid", "varchar", "uuid", "int4", "timestamptz", "timestamptz", "int4", "int4", "bool", "text", "uuid", "timestamptz", "varchar", "timestamptz", "timestamptz"],
  row: (it) => ({ id: it[0], title: it[1], createdBy: it[2], memberCount: it[3], lastMessageAt: it[4], createdAt: it[5], lastSequence: it[6], lastReadSequence: it[7], isMuted: it[8], excerpt: it[9], senderId: it[10], sentAt: it[11], senderName: it[12], activeAt: it[13], readAt: it[14] }) as FindConversationsByActivityRow,
});

export type FindMovedConversationsParameters = {
  readonly userId: string;
  readonly since: string;
  readonly createdAt: string;
  readonly id: string;
  readonly limit: number;
};
export type FindMovedConversationsRow = {
  readonly id: string;
  readonly title: string | null;
  readonly createdBy: string;
  readonly memberCount: number;
  readonly lastMessageAt: string | null;
  readonly createdAt: string;
  readonly lastSequence: number;
  readonly lastReadSequence: number;
  readonly isMuted: boolean;
  readonly excerpt: string | null;
  readonly senderId: string | null;
  readonly sentAt: string | null;
  readonly senderName: string | null;
};
/** The conversations of a user that were active after an instant, by creation. */
export const findMovedConversations = page<FindMovedConversationsParameters, FindMovedConversationsRow>({
  name: "find_moved_conversations",
  text: {
    asc: `SELECT seen.id AS "id!", title, created_by AS "created_by!", member_count AS "member_count!", last_message_at, created_at AS "created_at!",
  last_sequence AS "last_sequence!", last_read_sequence AS "last_read_sequence!", is_muted AS "is_muted!", excerpt, sender_id, sent_at,
  sender_name
FROM (
    SELECT * FROM (
      SELECT hours.* FROM (
        SELECT conversation_id, conversation_created_at FROM listed_conversations
        WHERE user_id = $1 AND active_hour >= date_trunc('hour', $2::timestamptz, 'UTC') OFFSET 0) AS hours
      CROSS JOIN LATERAL (
        SELECT coalesce(last_message_at, created_at) AS active_at FROM conversations WHERE id = hours.conversation_id GROUP BY id) AS exact
      WHERE exact.active_at > $2 OFFSET 0) AS moved
    WHERE (conversation_created_at, conversation_id) > ($3, $4)
    ORDER BY conversation_created_at ASC, conversation_id ASC LIMIT (SELECT $5::int)
  ) AS listed JOIN conversations_of_members seen ON seen.id = listed.conversation_id AND seen.user_id = $1
ORDER BY listed.conversation_created_at ASC, listed.conversation_id ASC`,
    desc: `SELECT seen.id AS "id!", title, created_by AS "created_by!", member_count AS "member_count!", last_message_at, created_at AS "created_at!",
  last_sequence AS "last_sequence!", last_read_sequence AS "last_read_sequence!", is_muted AS "is_muted!", excerpt, sender_id, sent_at,
  sender_name
FROM (
    SELECT * FROM (
      SELECT hours.* FROM (
        SELECT conversation_id, conversation_created_at FROM listed_conversations
        WHERE user_id = $1 AND active_hour >= date_trunc('hour', $2::timestamptz, 'UTC') OFFSET 0) AS hours
      CROSS JOIN LATERAL (
        SELECT coalesce(last_message_at, created_at) AS active_at FROM conversations WHERE id = hours.conversation_id GROUP BY id) AS exact
      WHERE exact.active_at > $2 OFFSET 0) AS moved
    WHERE (conversation_created_at, conversation_id) < ($3, $4)
    ORDER BY conversation_created_at DESC, conversation_id DESC LIMIT (SELECT $5::int)
  ) AS listed JOIN conversations_of_members seen ON seen.id = listed.conversation_id AND seen.user_id = $1
ORDER BY listed.conversation_created_at DESC, listed.conversation_id DESC`,
  },
  limit: 5,
  values: (it) => [it.userId, it.since, it.createdAt, it.id, it.limit],
  columns: ["uuid", "varchar", "uuid", "int4", "timestamptz", "timestamptz", "int4", "int4", "bool", "text", "uuid", "timestamptz", "varchar"],
  row: (it) => ({ id: it[0], title: it[1], createdBy: it[2], memberCount: it[3], lastMessageAt: it[4], createdAt: it[5], lastSequence: it[6], lastReadSequence: it[7], isMuted: it[8], excerpt: it[9], senderId: it[10], sentAt: it[11], senderName: it[12] }) as FindMovedConversationsRow,
});

export type LockConversationParameters = {
  readonly id: string;
};
/** Locks a conversation against changes to its members and new messages. 0 if it does not exist. */
export const lockConversation = affectedRows<LockConversationParameters>({
  name: "lock_conversation",
  text: `SELECT FROM conversations WHERE id = $1 AND deleted_at IS NULL FOR UPDATE`,
  values: (it) => [it.id],
});

export type SetTitleParameters = {
  readonly title: string;
  readonly id: string;
};
/** Gives a conversation another title. */
export const setTitle = affectedRows<SetTitleParameters>({
  name: "set_title",
  text: `UPDATE conversations SET title = $1 WHERE id = $2 AND title IS DISTINCT FROM $1`,
  values: (it) => [it.title, it.id],
});

export type MarkDeletedParameters = {
  readonly id: string;
};
/** Marks a conversation as deleted, so that no user can access it. A job removes its rows. */
export const markDeleted = affectedRows<MarkDeletedParameters>({
  name: "mark_deleted",
  text: `UPDATE conversations SET deleted_at = now() WHERE id = $1`,
  values: (it) => [it.id],
});

export type RemoveDeletedParameters = {
  readonly id: string;
};
/** Removes the row of a deleted conversation. */
export const removeDeleted = affectedRows<RemoveDeletedParameters>({
  name: "remove_deleted",
  text: `DELETE FROM conversations WHERE id = $1 AND deleted_at IS NOT NULL`,
  values: (it) => [it.id],
});

export type FindOverdueRow = {
  readonly id: string;
};
/** Deleted conversations whose rows should have been removed by now, at most one batch. */
export const findOverdue = many<void, FindOverdueRow>({
  name: "find_overdue",
  text: `SELECT id FROM conversations WHERE deleted_at < now() - interval '1 day' ORDER BY deleted_at LIMIT 100`,
  values: () => [],
  columns: ["uuid"],
  row: (it) => ({ id: it[0] }) as FindOverdueRow,
});

export type EraseCreatorParameters = {
  readonly deletedUserId: string;
  readonly userId: string;
  readonly batch: number;
};
/** Replaces the creator of conversations that have other members. */
export const eraseCreator = affectedRows<EraseCreatorParameters>({
  name: "erase_creator",
  text: `UPDATE conversations SET created_by = $1
WHERE id IN (SELECT id FROM conversations WHERE created_by = $2 LIMIT $3)`,
  values: (it) => [it.deletedUserId, it.userId, it.batch],
});
