import type { Operations, Schemas } from "../contract/contract.ts";
import type { Cursors } from "../lists/cursor.ts";
import type { Db } from "../database/client.ts";
import { once } from "../idempotency/idempotency.ts";
import type { RunStatement } from "../database/statement.ts";
import { notFound } from "../failure.ts";
import type { JobQueue } from "../jobs/jobs.ts";
import type { NotifyInStatement } from "../notifier.ts";
import { BY_CREATION } from "../database/keyset.ts";
import { list } from "../lists/list.ts";
import { addMember, dropMember, openConversation, readConversation, requireMember, type MembershipParts } from "./membership.ts";
import { findMessage, type MessageRow } from "./message-store.ts";
import { readHistory, sendMessage } from "./messages.ts";
import { createInsertMessage } from "./send-statement.ts";
import { BY_JOINING, findConversationsOf, findMembers, type ConversationRow, type MemberRow } from "./store.ts";
import { createTurns } from "./turns.ts";

type Parts = MembershipParts & {
  readonly db: Db;
  readonly runStatement: RunStatement;
  readonly notifyInStatement: NotifyInStatement;
  readonly cursors: Cursors;
  readonly queue: JobQueue;
};

/** As long as PostgreSQL waits for a lock: whoever comes after a send that is stuck is told with it. */
const TURN_WAIT_MAX_MS = 5_000;

export function conversationHandlers(parts: Parts): Operations<"Conversations" | "Messages"> {
  const { db, runStatement, notifyInStatement, cursors, queue } = parts;
  const insertMessage = createInsertMessage(runStatement, notifyInStatement);
  const turns = createTurns(TURN_WAIT_MAX_MS);
  return {
    createConversation(input) {
      return once(db, input, async (tx) => {
        const row = await openConversation(tx, parts, input.principal, input.body);
        return { status: 201, headers: { Location: `/conversations/${row.id}` }, body: conversation(row) };
      });
    },

    listConversations: (input) =>
      list(cursors, input, {
        order: BY_CREATION,
        find: (window) => findConversationsOf(db, input.principal.userId, window),
        toWire: conversation,
      }),

    async getConversation({ principal, path }) {
      await requireMember(db, path.conversationId, principal.userId);
      return { status: 200, body: conversation(await readConversation(db, path.conversationId)) };
    },

    async listMembers(input) {
      const { conversationId } = input.path;
      await requireMember(db, conversationId, input.principal.userId);
      return list(cursors, input, {
        order: BY_JOINING,
        find: (window) => findMembers(db, conversationId, window),
        toWire: member,
      });
    },

    async putMember({ principal, path }) {
      const { member: row, added } = await addMember(db, parts, principal, path.conversationId, path.user_id);
      if (!added) return { status: 200, body: member(row) };
      return {
        status: 201,
        headers: { Location: `/conversations/${path.conversationId}/members/${row.userId}` },
        body: member(row),
      };
    },

    async deleteMember({ principal, path }) {
      await dropMember(db, queue, principal.userId, path.conversationId, path.user_id);
      return { status: 204 };
    },

    async createMessage({ principal, path, header, body }) {
      const { message: row, replayed } = await sendMessage({ db, insertMessage, turns }, principal, {
        conversationId: path.conversationId,
        key: header["Idempotency-Key"],
        body: body.body,
      });
      const headers = {
        Location: `/conversations/${row.conversationId}/messages/${row.id}`,
        ...(replayed ? { "Idempotency-Replayed": "true" as const } : {}),
      };
      return { status: 201, headers, body: message(row) };
    },

    async listMessages(input) {
      const { rows, page } = await readHistory(db, cursors, input);
      return { status: 200, body: { data: rows.map(message), page } };
    },

    async getMessage({ principal, path }) {
      await requireMember(db, path.conversationId, principal.userId);
      const row = await findMessage(db, path.conversationId, path.message_id);
      if (row === null) throw notFound("message");
      return { status: 200, body: message(row) };
    },
  };
}

// Rows to wire, field by field, so that a new column is never sent by accident.

function conversation(row: ConversationRow): Schemas["Conversation"] {
  return {
    id: row.id,
    title: row.title,
    created_by: row.createdById,
    member_count: row.memberCount,
    last_message_at: row.lastMessageAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
  };
}

function member(row: MemberRow): Schemas["Member"] {
  return {
    user_id: row.userId,
    display_name: row.user.displayName,
    role: row.role as Schemas["MemberRole"],
    joined_at: row.joinedAt.toISOString(),
  };
}

function message(row: MessageRow): Schemas["Message"] {
  return {
    id: row.id,
    conversation_id: row.conversationId,
    sender_id: row.senderId,
    sequence: row.sequence,
    body: row.body,
    created_at: row.createdAt.toISOString(),
  };
}
