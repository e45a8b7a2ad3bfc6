// Generated: do not edit, run `npm run generate`. From src/conversations/members/store.sql.

import { affectedRows, many, one } from "../../../src/database/statement.ts";

export type FindRoleParameters = {
  readonly conversationId: string;
  readonly userId: string;
};
export type FindRoleRow = {
  readonly role: string;
};
/** In SQL because every read of a conversation from a replica asks the primary first. */
export const findRole = one<FindRoleParameters, FindRoleRow>({
  name: "find_role",
  text: `SELECT role FROM members WHERE conversation_id = $1 AND user_id = $2`,
  values: (it) => [it.conversationId, it.userId],
  row: (it) => ({ role: it[0] }) as FindRoleRow,
});

export type RemoveFormerMembersParameters = {
  readonly conversationId: string;
};
/** Removes some of those who once were members of a conversation. */
export const removeFormerMembers = affectedRows<RemoveFormerMembersParameters>({
  name: "remove_former_members",
  text: `DELETE FROM former_members WHERE (user_id, conversation_id) IN (
  SELECT user_id, conversation_id FROM former_members WHERE conversation_id = $1 LIMIT 1000)`,
  values: (it) => [it.conversationId],
});

export type NotifyMemberParameters = {
  readonly userId: string;
  readonly title: string;
  readonly actorId: string;
  readonly conversationId: string;
};
/** Notifies a user who has been added to a conversation. */
export const notifyMember = affectedRows<NotifyMemberParameters>({
  name: "notify_member",
  text: `SELECT FROM notify_users(ARRAY[$1::uuid], 'conversation.member_added', $2, NULL, $3::uuid, $4::text,
  'conversation', $4, '/conversations/' || $4)`,
  values: (it) => [it.userId, it.title, it.actorId, it.conversationId],
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
