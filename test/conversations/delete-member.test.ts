import { randomUUIDv7 } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import type { Body, Client } from "../support/client.ts";
import { openConversation, send, type Conversation } from "../support/conversations.ts";
import { hold } from "../support/locks.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";
import { itNeeds } from "../support/needs.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

const leave = (member: Client, conversation: Conversation) => member("DELETE", `${conversation.members}/${member.userId}`);

describe("DELETE /conversations/{conversationId}/members/{user_id}", () => {
  it("returns 404 when the owner removes a user that is not a member, or an unknown id", async () => {
    const [ada, stranger] = [await service.as(), await service.as()];
    const conversation = await openConversation(ada, [ada]);
    for (const id of [stranger.userId, randomUUIDv7()])
      expect(await ada("DELETE", `${conversation.members}/${id}`)).toMatchObject({ status: 404, body: { code: "not_found" } });
  });

  it("makes the longest-standing member the owner each time the owner leaves", async () => {
    const [ada, yuki, tom, mara] = [await service.as(), await service.as(), await service.as(), await service.as()];
    const conversation = await openConversation(ada, [tom]);
    await ada("PUT", `${conversation.members}/${yuki.userId}`);
    await ada("PUT", `${conversation.members}/${mara.userId}`);
    expect(await leave(ada, conversation)).toMatchObject({ status: 204 });
    expect((await mara("GET", conversation.members)).body.data).toMatchObject([
      { user_id: tom.userId, role: "owner" },
      { user_id: yuki.userId, role: "member" },
      { user_id: mara.userId, role: "member" },
    ]);
    // The new owner has the rights of an owner, and can add the former owner as a member.
    expect(await tom("PUT", `${conversation.members}/${ada.userId}`)).toMatchObject({ status: 201, body: { role: "member" } });
    await leave(tom, conversation);
    expect((await mara("GET", conversation.members)).body.data).toMatchObject([
      { user_id: yuki.userId, role: "owner" },
      { user_id: mara.userId, role: "member" },
      { user_id: ada.userId, role: "member" },
    ]);
    expect(await mara("GET", conversation.path)).toMatchObject({ body: { created_by: ada.userId } });
  });

  it.each(["leave", "are removed"])(
    "marks the notifications about the conversation as read for users who %s, and users who return count only new messages",
    async (way) => {
      const [ada, yuki] = [await service.as(), await service.as()];
      const conversation = await openConversation(ada, [yuki]);
      for (const text of ["One", "Two"]) await send(ada, conversation, text);
      await (way === "leaves" ? yuki : ada)("DELETE", `${conversation.members}/${yuki.userId}`);
      const notices = async () => {
        const { body } = await yuki("GET", "/notifications");
        return [body.unread_count, ...(body.data as Body[]).map((it) => [it.kind, it.status, it.event_count])];
      };
      expect(await notices()).toEqual([0, ["message.created", "read", 2], ["conversation.member_added", "read", 1]]);
      // As the previous release leaves it.
      await service.db.notification.updateMany({ where: { userId: yuki.userId }, data: { readAt: null } });
      await ada("PUT", `${conversation.members}/${yuki.userId}`);
      expect(await notices()).toEqual([1, ["conversation.member_added", "unread", 1], ["message.created", "read", 2]]);
      await send(ada, conversation, "Three");
      expect(await notices()).toEqual([2, ["message.created", "unread", 1], ["conversation.member_added", "unread", 1]]);
    },
  );

  it("keeps exactly one owner when the owner and four of ten members leave at the same time", async () => {
    const members = await Promise.all(Array.from({ length: 10 }, () => service.as()));
    const conversation = await openConversation(members[0]!, members);
    expect((await Promise.all(members.slice(0, 5).map((it) => leave(it, conversation)))).map((it) => it.status)).toEqual([
      204, 204, 204, 204, 204,
    ]);
    const { body } = await members[9]!("GET", conversation.members);
    expect(body.data).toHaveLength(5);
    expect(body.data.filter((it: { role: string }) => it.role === "owner")).toHaveLength(1);
  });

  itNeeds("one server", "does not make the next member the owner if that member leaves at the same time", async () => {
    const [ada, yuki, tom] = [await service.as(), await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki]);
    await ada("PUT", `${conversation.members}/${tom.userId}`);
    await service.db.$executeRawUnsafe(
      "CREATE FUNCTION wait_to_leave() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(4243); RETURN OLD; END $$",
    );
    await service.db.$executeRawUnsafe(
      `CREATE TRIGGER wait_to_leave AFTER DELETE ON members FOR EACH ROW WHEN (OLD.user_id = '${yuki.userId}') EXECUTE FUNCTION wait_to_leave()`,
    );
    await using holder = await hold(service.databaseUrl, "SELECT pg_advisory_xact_lock(4243)");
    const heir = leave(yuki, conversation);
    await holder.blocks(1);
    const owner = leave(ada, conversation);
    await holder.blocks(2);
    await holder.release();
    expect([(await heir).status, (await owner).status]).toEqual([204, 204]);
    expect((await tom("GET", conversation.members)).body.data).toMatchObject([{ user_id: tom.userId, role: "owner" }]);
    await service.db.$executeRaw`DROP TRIGGER wait_to_leave ON members`;
  });

  it("leaves no conversation and no member row when all members leave at the same time", async () => {
    const members = await Promise.all(Array.from({ length: 8 }, () => service.as()));
    const conversation = await openConversation(members[0]!, members);
    expect((await Promise.all(members.map((it) => leave(it, conversation)))).map((it) => it.status)).toEqual(
      members.map(() => 204),
    );
    expect(await members[0]!("GET", conversation.path)).toMatchObject({ status: 404 });
    expect(await service.db.member.count({ where: { conversationId: conversation.id } })).toBe(0);
  });

  it("either stores or refuses each message that a member sends while being removed", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki]);
    const [sends, removed] = await Promise.all([
      Promise.all(Array.from({ length: 10 }, (_, index) => send(yuki, conversation, `Message ${index}`))),
      ada("DELETE", `${conversation.members}/${yuki.userId}`),
    ]);
    expect(removed.status).toBe(204);
    for (const it of sends) expect([201, 403]).toContain(it.status);
    const { body } = await ada("GET", conversation.messages);
    expect(new Set(body.data.map((it: { id: string }) => it.id))).toEqual(
      new Set(sends.filter((it) => it.status === 201).map((it) => it.body.id)),
    );
  });
});
