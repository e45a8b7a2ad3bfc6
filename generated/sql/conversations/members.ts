// Generated: do not edit, run `npm run generate`. From src/conversations/members/store.sql.

import { page } from "../../../src/pagination/keyset.ts";
import { affectedRows, many, one } from "../../../src/database/statement.ts";

export type FindMemberParameters = {
  readonly conversationId: string;
  readonly userId: string;
};
export type FindMemberRow = {
  readonly conversationId: string;
  readonly userId: string;
  readonly role: string;
  readonly joinedAt: string;
  readonly name: string | null;
};
/** A member. `name` is null for a deleted user, until a job removes the membership. In SQL because every read of a conversation from a
 * replica asks the primary first. */
export const findMember = one<FindMemberParameters, FindMemberRow>({
  name: "find_member",
  text: `SELECT m.conversation_id, m.user_id, m.role, m.joined_at, (SELECT display_name FROM people WHERE people.id = m.user_id) AS name
FROM members m
WHERE m.conversation_id = $1 AND m.user_id = $2`,
  values: (it) => [it.conversationId, it.userId],
  columns: ["uuid", "uuid", "varchar", "timestamptz", "varchar"],
  row: (it) => ({ conversationId: it[0], userId: it[1], role: it[2], joinedAt: it[3], name: it[4] }) as FindMemberRow,
});

export type FindMembersParameters = {
  readonly conversationId: string;
  readonly joinedAt: string;
  readonly userId: string;
  readonly limit: number;
};
export type FindMembersRow = {
  readonly conversationId: string;
  readonly userId: string;
  readonly role: string;
  readonly joinedAt: string;
  readonly name: string | null;
};
/** In the order in which the members joined. */
export const findMembers = page<FindMembersParameters, FindMembersRow>({
  name: "find_members",
  text: {
    asc: `SELECT m.conversation_id, m.user_id, m.role, m.joined_at, (SELECT display_name FROM people WHERE people.id = m.user_id) AS name
FROM members m
WHERE m.conversation_id = $1 AND (m.joined_at, m.user_id) > ($2, $3)
ORDER BY m.joined_at ASC, m.user_id ASC LIMIT (SELECT $4::int)`,
    desc: `SELECT m.conversation_id, m.user_id, m.role, m.joined_at, (SELECT display_name FROM people WHERE people.id = m.user_id) AS name
FROM members m
WHERE m.conversation_id = $1 AND (m.joined_at, m.user_id) < ($2, $3)
ORDER BY m.joined_at DESC, m.user_id DESC LIMIT (SELECT $4::int)`,
  },
  limit: 4,
  values: (it) => [it.conversationId, it.joinedAt, it.userId, it.limit],
  columns: ["uuid", "uuid", "varchar", "timestamptz", "varchar"],
  row: (it) => ({ conversationId: it[0], userId: it[1], role: it[2], joinedAt: it[3], name: it[4] }) as FindMembersRow,
});

export type ListMemberParameters = {
  readonly userId: string;
  readonly conversationId: string;
  readonly createdAt: string;
  readonly at: string;
};
/** Adds a conversation to the list of a new member. `at` is the time of its last activity. */
export const listMember = affectedRows<ListMemberParameters>({
  name: "list_member",
  text: `INSERT INTO listed_conversations (user_id, conversation_id, conversation_created_at, active_hour)
VALUES ($1, $2, $3, date_trunc('hour', $4::timestamptz, 'UTC')) ON CONFLICT DO NOTHING`,
  values: (it) => [it.userId, it.conversationId, it.createdAt, it.at],
});

export type NotifyMemberParameters = {
  readonly userId: string;
  readonly actorId: string;
  readonly title: string | null;
  readonly conversationId: string;
};
/** Notifies a new member of a conversation. */
export const notifyMember = affectedRows<NotifyMemberParameters>({
  name: "notify_member",
  text: `SELECT FROM add_notifications(ARRAY[$1::uuid], 'conversation.member_added', $2::uuid, (names_of(ARRAY[$2::uuid]))[1],
  $3, NULL, NULL, $4::text, 'conversation', $4, '/conversations/' || $4)`,
  values: (it) => [it.userId, it.actorId, it.title, it.conversationId],
});

export type ReadConversationParameters = {
  readonly userId: string;
  readonly conversationId: string;
};
/** Marks the notifications of a user about a conversation as read. */
export const readConversation = affectedRows<ReadConversationParameters>({
  name: "read_conversation",
  text: `SELECT FROM read_conversation(ARRAY[$1::uuid], $2)`,
  values: (it) => [it.userId, it.conversationId],
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
  columns: ["uuid"],
  row: (it) => ({ id: it[0] }) as FindConversationsOfRow,
});

export type SetMutedParameters = {
  readonly isMuted: boolean;
  readonly conversationId: string;
  readonly userId: string;
};
/** Mutes or unmutes a conversation for a member, from the next message on. A retry writes nothing. */
export const setMuted = affectedRows<SetMutedParameters>({
  name: "set_muted",
  text: `UPDATE members SET muted_at = now() + CASE WHEN $1 THEN interval '0' END
WHERE conversation_id = $2 AND user_id = $3 AND (muted_at IS NOT NULL) <> $1`,
  values: (it) => [it.isMuted, it.conversationId, it.userId],
});

export type FindUnmutedMembersParameters = {
  readonly conversationIds: readonly string[];
};
export type FindUnmutedMembersRow = {
  readonly userId: string;
};
/** The members of some conversations whom a message notifies. */
export const findUnmutedMembers = many<FindUnmutedMembersParameters, FindUnmutedMembersRow>({
  name: "find_unmuted_members",
  text: `SELECT DISTINCT user_id FROM members WHERE conversation_id = ANY ($1) AND muted_at IS NULL`,
  values: (it) => [it.conversationIds],
  columns: ["uuid"],
  row: (it) => ({ userId: it[0] }) as FindUnmutedMembersRow,
});
