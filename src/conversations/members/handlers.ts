import type { Operations } from "../../contract/contract.ts";
import type { Db } from "../../database/client.ts";
import type { JobQueue } from "../../jobs/jobs.ts";
import type { Cursors } from "../../pagination/cursor.ts";
import { parsePage, page } from "../../pagination/list.ts";
import type { Publish } from "../../long-poll/topics.ts";
import { addMember, transferOwnership, removeMember, requireMember, setMuted } from "./service.ts";
import { BY_JOINING, findMembers } from "./store.ts";
import { toMember } from "./wire.ts";

type MemberDeps = {
  readonly db: Db;
  readonly cursors: Cursors;
  readonly queue: JobQueue;
  readonly publish: Publish;
};

export function memberHandlers({ db, cursors, queue, publish }: MemberDeps) {
  return {
    async listMembers(input) {
      const { conversationId } = input.path;
      await requireMember(db, conversationId, input.principal.userId);
      const pageRequest = parsePage(cursors, input, BY_JOINING);
      return { status: 200, body: page(pageRequest, await findMembers(db, pageRequest, { conversationId }), toMember) };
    },

    async putMember(input) {
      const { member, added } = await addMember(db, input);
      const body = toMember(member);
      if (!added) return { status: 200, body };
      // The new member has a new notification.
      publish(`conversation:${input.path.conversationId}`);
      return { status: 201, headers: { Location: `/conversations/${input.path.conversationId}/members/${body.user_id}` }, body };
    },

    async updateMember(input) {
      return { status: 200, body: toMember(await transferOwnership(db, input)) };
    },

    async deleteMember(input) {
      await removeMember(db, queue, input);
      // A long poll of the removed user ends with 403, and the notifications of the user become read.
      publish(`conversation:${input.path.conversationId}`, `user:${input.path.user_id}`);
      return { status: 204 };
    },

    async putMute(input) {
      await setMuted(db, input, true);
      return { status: 204 };
    },

    async deleteMute(input) {
      await setMuted(db, input, false);
      return { status: 204 };
    },
  } satisfies Partial<Operations<"Conversations">>;
}
