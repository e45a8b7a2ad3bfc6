import { describe, expect, it } from "@jest/globals";
import type { Answer, Body } from "../support/client.ts";
import { openConversation, send, sendMany, walk, type Conversation } from "../support/conversations.ts";
import { createNotifications, titlesOf } from "../support/notifications.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

const kinds = (answer: Answer) => answer.body.data.map((it: Body) => it.kind);
const bodies = (items: readonly Body[]) => items.map((it) => it.body as string);

/** Two users with a conversation. The second user has no notifications. */
async function quietPair() {
  const [ada, yuki] = [await service.as({ name: "Ada Marsh" }), await service.as({ name: "Yuki Brandt" })];
  const conversation = await openConversation(ada, [yuki], "Boathouse roof");
  await service.db.notification.deleteMany({ where: { userId: yuki.userId } });
  return { ada, yuki, conversation };
}

describe("GET /notifications", () => {
  it("returns 200 with notifications of messages by other members and of being added, each with a readable resource", async () => {
    const [ada, yuki, tom] = [await service.as({ name: "Ada Marsh" }), await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki], "Boathouse roof");
    await ada("PUT", `${conversation.members}/${tom.userId}`);
    const { body: message } = await send(ada, conversation, "The slates come on Thursday.");
    for (const member of [yuki, tom]) {
      const answer = await member("GET", "/notifications");
      expect(answer).toMatchObject({
        status: 200,
        body: {
          data: [
            {
              kind: "message.created",
              status: "unread",
              title: "Ada Marsh wrote in Boathouse roof",
              body: "The slates come on Thursday.",
              read_at: null,
              resource: { type: "message", id: message.id, href: `${conversation.messages}/${message.id}` },
            },
            {
              kind: "conversation.member_added",
              status: "unread",
              title: "Ada Marsh added you to Boathouse roof",
              body: null,
              resource: { type: "conversation", id: conversation.id, href: conversation.path },
            },
          ],
          page: { limit: 20, next_cursor: null },
          unread_count: 2,
        },
      });
      for (const { resource } of answer.body.data)
        expect(await member("GET", resource.href)).toMatchObject({ status: 200, body: { id: resource.id } });
    }
    expect(await ada("GET", "/notifications")).toMatchObject({ status: 200, body: { data: [], unread_count: 0 } });
  });

  it("names the sender if the conversation has no title, and notifies neither the sender nor removed members", async () => {
    const [ada, yuki, tom] = [await service.as({ name: "Ada Marsh" }), await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki, tom]);
    await ada("DELETE", `${conversation.members}/${tom.userId}`);
    await send(ada, conversation, "Hello");
    expect((await yuki("GET", "/notifications")).body.data).toMatchObject([
      { title: "Ada Marsh wrote to you" },
      { title: "Ada Marsh added you to a conversation" },
    ]);
    expect(kinds(await tom("GET", "/notifications"))).toEqual(["conversation.member_added"]);
    expect((await ada("GET", "/notifications")).body.data).toEqual([]);
  });

  it("counts all unread messages of a conversation in one notification with the newest message, by any sender", async () => {
    const [ada, yuki, tom] = [await service.as({ name: "Ada Marsh" }), await service.as(), await service.as({ name: "Tom" })];
    const conversation = await openConversation(ada, [yuki, tom], "Boathouse roof");
    await send(ada, conversation, "One");
    const [first] = (await yuki("GET", "/notifications?kind=message.created")).body.data;
    expect(first).toMatchObject({ body: "One", event_count: 1, updated_at: first.created_at });
    await send(tom, conversation, "Two");
    const { body: message } = await send(tom, conversation, "Three");
    expect((await yuki("GET", "/notifications?kind=message.created")).body.data).toEqual([
      {
        ...first,
        title: "Tom wrote in Boathouse roof",
        body: "Three",
        resource: { type: "message", id: message.id, href: `${conversation.messages}/${message.id}` },
        event_count: 3,
        updated_at: expect.any(String),
        actor: { id: tom.userId, display_name: "Tom", deleted: false },
      },
    ]);
    // Each member has a separate count: one message for Tom, two for Ada.
    expect((await tom("GET", "/notifications?kind=message.created")).body.data).toMatchObject([{ body: "One", event_count: 1 }]);
    expect((await ada("GET", "/notifications")).body.data).toMatchObject([{ body: "Three", event_count: 2 }]);
  });

  it("counts every message of concurrent senders in one notification", async () => {
    const senders = await Promise.all(Array.from({ length: 5 }, () => service.as()));
    const yuki = await service.as();
    const conversation = await openConversation(senders[0]!, [...senders, yuki]);
    await Promise.all(senders.map((it) => sendMany(it, conversation, 8)));
    expect((await yuki("GET", "/notifications?kind=message.created")).body.data).toMatchObject([{ event_count: 40 }]);
    // This limits the table: a member has at most two rows per conversation, for any number of messages.
    expect(await service.db.notification.count({ where: { userId: yuki.userId } })).toBe(2);
  });

  it("notifies a member of a message once, even if the sender retries", async () => {
    const { ada, yuki, conversation } = await quietPair();
    for (let attempt = 0; attempt < 3; attempt++) await send(ada, conversation, "Hello", "one-key-for-all");
    expect((await yuki("GET", "/notifications")).body.data).toHaveLength(1);
  });

  it("cuts a title to 200 and a body to 500 whole characters, the last of them an ellipsis", async () => {
    const [ada, yuki] = [await service.as({ name: "🪚".repeat(100) }), await service.as()];
    const conversation = await openConversation(ada, [yuki], "🪵".repeat(200));
    for (const [text, shown] of [
      ["😀".repeat(501), `${"😀".repeat(499)}…`],
      ["😀".repeat(500), "😀".repeat(500)],
    ] as const) {
      await send(ada, conversation, text);
      const { body } = await yuki("GET", "/notifications?kind=message.created");
      expect(bodies(body.data)).toEqual([shown]);
      expect(body.data[0].title).toBe(`${"🪚".repeat(100)} wrote in ${"🪵".repeat(89)}…`);
      expect([...body.data[0].title]).toHaveLength(200);
    }
  });

  it("filters by status, by kind and by both, and returns the same unread_count for every filter", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    await createNotifications(ada, yuki, 2);
    await sendMany(ada, await openConversation(ada, [yuki]), 3);
    const {
      body: {
        data: [newest],
      },
    } = await yuki("GET", "/notifications?kind=conversation.member_added");
    await yuki("PATCH", `/notifications/${newest.id}`, { status: "read" });
    const read = async (query: string) => (await yuki("GET", `/notifications?${query}`)).body;
    const found = async (query: string) => ({ count: (await read(query)).data.length, unread: (await read(query)).unread_count });
    expect(await found("")).toEqual({ count: 4, unread: 3 });
    expect(await found("status=read")).toEqual({ count: 1, unread: 3 });
    expect(await found("status=unread")).toEqual({ count: 3, unread: 3 });
    expect(await found("kind=message.created")).toEqual({ count: 1, unread: 3 });
    expect(await found("kind=conversation.member_added&status=unread")).toEqual({ count: 2, unread: 3 });
    expect(await found("kind=conversation.member_added&status=read")).toEqual({ count: 1, unread: 3 });
    expect(await found("kind=video_upload.failed")).toEqual({ count: 0, unread: 3 });
  });

  it("pages through each notification exactly once while all of them count new messages", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const conversations: Conversation[] = [];
    for (let index = 0; index < 6; index++) conversations.push(await openConversation(ada, [yuki]));
    await service.db.notification.deleteMany({ where: { userId: yuki.userId } });
    for (const it of conversations) await send(ada, it, "First");
    for (const order of ["created_at", "-created_at"]) {
      const walked = await walk(yuki, `/notifications?limit=2&sort=${order}&kind=message.created`, "after", async () => {
        await Promise.all(conversations.map((it) => send(ada, it, "More")));
      });
      const ids = walked.map((it) => it.resource.href.split("/")[2] as string);
      expect(ids.toSorted()).toEqual(conversations.map((it) => it.id).toSorted());
    }
  });

  it("pages through the unread notifications without missing any while the first page is marked as read", async () => {
    const { ada, yuki } = await quietPair();
    const titles = await createNotifications(ada, yuki, 6);
    const first = await yuki("GET", "/notifications?status=unread&limit=2");
    for (const { id } of first.body.data) await yuki("PATCH", `/notifications/${id}`, { status: "read" });
    const rest = await yuki("GET", `/notifications?status=unread&after=${first.body.page.next_cursor}`);
    expect(titlesOf([...first.body.data, ...rest.body.data])).toEqual(titles.toReversed());
  });

  it("returns an unread_count of at most 1,000, also for more unread notifications", async () => {
    const { yuki } = await quietPair();
    const fill = (count: number) => service.db.$executeRaw`
      INSERT INTO notifications (id, user_id, kind, title, resource_type, resource_id, resource_href)
      SELECT gen_random_uuid(), ${yuki.userId}::uuid, 'message.created', 'Ada wrote to you', 'message', 'x', '/x' FROM generate_series(1, ${count}::int)`;
    await fill(999);
    expect((await yuki("GET", "/notifications?limit=1")).body.unread_count).toBe(999);
    await fill(6);
    expect((await yuki("GET", "/notifications?limit=1")).body.unread_count).toBe(1_000);
  });
});
