import { describe, expect, it } from "@jest/globals";
import type { Client } from "../support/client.ts";
import { openConversation, send, type Conversation } from "../support/conversations.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

/** The number of unread messages that a user is notified of, and of additions. */
async function notifiedOf(member: Client): Promise<Record<string, number>> {
  const { body } = await member("GET", "/notifications?status=unread");
  return Object.fromEntries(body.data.map((it: { kind: string; event_count: number }) => [it.kind, it.event_count]));
}
const mute = (member: Client, { path }: Conversation) => member("PUT", `${path}/mute`);

describe("PUT /conversations/{conversationId}/mute", () => {
  it("stops notifications of messages for the member only, in this conversation only, also if the member sends at the same time", async () => {
    const [ada, yuki, tom] = [await service.as(), await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki, tom]);
    const other = await openConversation(ada, [yuki]);
    expect(await mute(yuki, conversation)).toMatchObject({ status: 204 });
    await Promise.all(Array.from({ length: 30 }, (_, n) => send([ada, yuki, tom][n % 3]!, conversation, `Message ${n}`)));
    expect(await notifiedOf(yuki)).toEqual({ "conversation.member_added": 1 });
    expect(await yuki("GET", conversation.path)).toMatchObject({ body: { muted: true } });
    expect(await tom("GET", conversation.path)).toMatchObject({ body: { muted: false } });
    for (const it of [ada, tom])
      expect((await notifiedOf(it))["message.created"] ?? 0).toBe((await it("GET", conversation.path)).body.unread_count);
    await send(ada, other, "Elsewhere");
    expect(await notifiedOf(yuki)).toEqual({ "conversation.member_added": 1, "message.created": 1 });
  });

  it("leaves the notifications that exist as they are", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki]);
    await send(ada, conversation, "One");
    await mute(yuki, conversation);
    await send(ada, conversation, "Two");
    const { body } = await yuki("GET", "/notifications?kind=message.created");
    expect(body).toMatchObject({ unread_count: 2, data: [{ body: "One", event_count: 1 }] });
  });

  it("writes nothing if the conversation is muted already", async () => {
    const ada = await service.as();
    const conversation = await openConversation(ada, [ada]);
    await mute(ada, conversation);
    const version = () => service.db.$queryRaw`SELECT xmin::text FROM members WHERE user_id = ${ada.userId}::uuid`;
    const before = await version();
    expect(await mute(ada, conversation)).toMatchObject({ status: 204 });
    expect(await version()).toEqual(before);
  });

  it("ends when the member leaves: a member who is added again is notified of that and of messages", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki]);
    await mute(yuki, conversation);
    await yuki("DELETE", `${conversation.members}/${yuki.userId}`);
    await ada("PUT", `${conversation.members}/${yuki.userId}`);
    await send(ada, conversation, "Welcome back");
    expect(await notifiedOf(yuki)).toEqual({ "conversation.member_added": 1, "message.created": 1 });
  });
});
