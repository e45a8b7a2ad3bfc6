import type { Tx } from "../../database/client.ts";
import type { RowOf } from "../../database/old-statement.ts";
import { keyedStatement, type KeyedInsert } from "../../idempotency/store.ts";
import type { NotifyInStatement } from "../../notifier.ts";

export {
  findConversation,
  findConversations,
  findOverdue,
  lockConversation,
  markDeleted,
  removeDeleted,
  type FindConversationRow as ConversationRow,
} from "#generated/sql/conversations/conversations.ts";

const NEW_CONVERSATION = { id: "uuid", title: "text?", createdBy: "uuid", memberIds: "uuid[]", notice: "text" } as const;
/** Inserts a conversation with its members, and notifies all but its creator. Inserts nothing if one of them is not a user. */
export type InsertConversation = KeyedInsert<RowOf<typeof NEW_CONVERSATION>>;

/**
 * In SQL because Prisma would need a transaction of nine round trips. The creator is the owner, and the first to have joined: the
 * owner leads a list of members, and whoever joined first becomes the owner after them.
 */
export const createInsertConversation = (notify: NotifyInStatement): InsertConversation =>
  keyedStatement({
    name: "insert_conversation",
    takes: NEW_CONVERSATION,
    text(value, claimed) {
      const members = `unnest(${value("memberIds")}) AS given (user_id)`;
      const notified = notify({
        rows: "opened JOIN joined ON joined.role = 'member' CROSS JOIN clock_timestamp() AS at",
        userId: "joined.user_id",
        idLike: "opened.id",
        actorId: "opened.created_by",
        kind: "'conversation.member_added'",
        title: value("notice"),
        body: "NULL::text",
        subjectId: "opened.id::text",
        resourceType: "'conversation'",
        resourceId: "opened.id::text",
        resourceHref: "'/conversations/' || opened.id::text",
        at: "at",
      });
      return `WITH ${claimed(`NOT EXISTS (
          SELECT FROM ${members} WHERE NOT EXISTS (SELECT FROM users WHERE users.id = given.user_id AND deleted_at IS NULL))`)},
        opened AS (
          INSERT INTO conversations (id, title, created_by) SELECT ${value("id")}, ${value("title")}, ${value("createdBy")} FROM claimed
          RETURNING id, created_by, created_at),
        joined AS (
          INSERT INTO members (conversation_id, user_id, role, joined_at)
          SELECT id, created_by, 'owner', created_at FROM opened
          UNION ALL SELECT id, user_id, 'member', created_at + interval '1 ms' FROM opened, ${members} WHERE user_id <> created_by
          RETURNING user_id, role),
        notified AS (${notified})
        SELECT created_at FROM opened`;
    },
  });

export async function isDeleted(tx: Tx, id: string): Promise<boolean> {
  return (await tx.conversation.count({ where: { id, deletedAt: { not: null } } })) === 1;
}
