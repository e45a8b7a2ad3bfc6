import { randomUUIDv7 } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import type { Body, Client } from "../support/client.ts";
import { openConversation, send, sendMany, type Conversation } from "../support/conversations.ts";
import { hold } from "../support/locks.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

const read = (client: Client, { path }: Conversation, sequence: number) => client("PUT", `${path}/read-position`, { sequence });
const notifications = async (client: Client, status: string) =>
  (await client("GET", `/notifications?status=${status}`)).body.data.map((it: Body) => it.kind as string);

/** What a user reads of a conversation, which must be the same in the list. */
async function seen(client: Client, { id, path }: Conversation): Promise<Body> {
  const { body } = await client("GET", path);
  expect((await client("GET", "/conversations")).body.data.find((it: Body) => it.id === id)).toEqual(body);
  return body;
}
const counts = async (client: Client, conversation: Conversation) => {
  const { last_read_sequence: read, unread_count: unread } = await seen(client, conversation);
  return { read, unread };
};

describe("the read position of a member", () => {
  it("starts at 0 of 0, moves to the member's own messages, and to the newest message when a member joins or joins again", async () => {
    const [ada, yuki, tom] = [await service.as({ name: "Ada" }), await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki]);
    expect(await seen(ada, conversation)).toMatchObject({
      last_message: null,
      last_read_sequence: 0,
      unread_count: 0,
      muted: false,
    });
    const text = `${"🛶".repeat(139)}🪵🪵`;
    const { body: message } = await send(ada, conversation, text);
    expect(await seen(yuki, conversation)).toMatchObject({
      last_message: {
        ...{ sequence: 1, created_at: message.created_at, excerpt: [...text].slice(0, 140).join("") },
        sender: { id: ada.userId, display_name: "Ada", deleted: false },
      },
      ...{ last_read_sequence: 0, unread_count: 1 },
    });
    expect(await counts(ada, conversation)).toEqual({ read: 1, unread: 0 });
    await send(yuki, conversation, "Two");
    expect(await counts(yuki, conversation)).toEqual({ read: 2, unread: 0 });
    expect(await counts(ada, conversation)).toEqual({ read: 1, unread: 1 });

    await ada("PUT", `${conversation.members}/${tom.userId}`);
    expect(await counts(tom, conversation)).toEqual({ read: 2, unread: 0 });
    await ada("DELETE", `${conversation.members}/${yuki.userId}`);
    expect((await yuki("GET", "/conversations")).body.data).toEqual([]);
    await send(ada, conversation, "Three");
    await ada("PUT", `${conversation.members}/${yuki.userId}`);
    expect(await counts(yuki, conversation)).toEqual({ read: 3, unread: 0 });
    expect(await counts(tom, conversation)).toEqual({ read: 2, unread: 1 });
  });

  it("is returned as it is read: not before the member's own newest message", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki]);
    await sendMany(ada, conversation, 2);
    await send(yuki, conversation, "Three");
    const answer = await read(ada, conversation, 1);
    expect(answer).toMatchObject({ status: 200, body: { last_read_sequence: 2, unread_count: 1 } });
    expect(await counts(ada, conversation)).toEqual({ read: 2, unread: 1 });
  });

  it("moves to the newest own message of each sender of messages at the same time", async () => {
    const users = [await service.as(), await service.as(), await service.as()];
    const conversation = await openConversation(users[0]!, users.slice(1));
    await Promise.all(users.flatMap((it) => [1, 2, 3, 4].map((n) => send(it, conversation, `Message ${n}`))));
    const messages = (await users[0]!("GET", conversation.messages)).body.data as Body[];
    for (const user of users) {
      const own = messages.find((it) => it.sender_id === user.userId)!.sequence as number;
      expect(await counts(user, conversation)).toEqual({ read: own, unread: 12 - own });
    }
  });
});

describe("PUT /conversations/{conversationId}/read-position", () => {
  it("moves the position forwards only, and refuses a message of the future", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki]);
    await sendMany(ada, conversation, 3);
    expect((await read(yuki, conversation, 2)).body).toEqual({ last_read_sequence: 2, unread_count: 1 });
    expect((await read(yuki, conversation, 0)).body).toEqual({ last_read_sequence: 2, unread_count: 1 });
    expect(await read(yuki, conversation, 4)).toMatchObject({ status: 422, body: { code: "unknown_sequence" } });
    expect(await counts(yuki, conversation)).toEqual({ read: 2, unread: 1 });
  });

  it("marks the notifications about the conversation that are not newer as read", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const [conversation, other] = [await openConversation(ada, [yuki]), await openConversation(ada, [yuki])];
    await send(ada, other, "Elsewhere");
    await sendMany(ada, conversation, 2);
    await read(yuki, conversation, 1);
    expect(await notifications(yuki, "read")).toEqual(["conversation.member_added"]);
    const [partly] = (await yuki("GET", "/notifications?status=unread&kind=message.created")).body.data as Body[];
    expect(partly).toMatchObject({ event_count: 1, updated_at: expect.anything() });
    await read(yuki, conversation, 2);
    expect((await notifications(yuki, "read")).toSorted()).toEqual(["conversation.member_added", "message.created"]);
    expect((await notifications(yuki, "unread")).toSorted()).toEqual(["conversation.member_added", "message.created"]);
  });

  it("marks the last notification before the conversation was muted as read", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki]);
    await send(ada, conversation, "One");
    await service.db.member.updateMany({
      where: { conversationId: conversation.id, userId: yuki.userId },
      data: { mutedAt: new Date() },
    });
    await sendMany(ada, conversation, 2);
    expect((await yuki("GET", "/notifications?kind=message.created")).body.data).toMatchObject([{ body: "One", event_count: 1 }]);
    expect(await seen(yuki, conversation)).toMatchObject({ muted: true, unread_count: 3 });
    expect((await read(yuki, conversation, 2)).body).toEqual({ last_read_sequence: 2, unread_count: 1 });
    expect(await notifications(yuki, "unread")).toEqual([]);
  });

  it("leaves a notification unread that counts a message committed during the request", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki]);
    await send(ada, conversation, "One");
    // Another transaction sends a message, and has not committed it when the request has seen the first one.
    const id = randomUUIDv7();
    await using sending = await hold(
      service.databaseUrl,
      "SELECT * FROM send_messages($1::uuid, ARRAY[$2::uuid], ARRAY[$3::uuid], ARRAY['Ada'], ARRAY['Two'], ARRAY['a-key-of-its-own'])",
      [conversation.id, id, ada.userId],
    );
    const answer = read(yuki, conversation, 1);
    await sending.blocks(1);
    await sending.query("COMMIT");
    expect((await answer).status).toBe(200);
    expect(await notifications(yuki, "unread")).toEqual(["message.created"]);
    expect(await counts(yuki, conversation)).toEqual({ read: 1, unread: 1 });
  });
});
