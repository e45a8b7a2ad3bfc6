import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { BAD_LIMITS } from "../support/common-refusals.ts";
import { openConversation, tampered, walk } from "../support/conversations.ts";
import { startTestService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const userIds = (members: readonly { user_id: string }[]) => members.map((it) => it.user_id);

describe("GET /conversations/{conversationId}/members", () => {
  it("returns 200 with all members in the order of joining, with their names and roles", async () => {
    const [ada, yuki, tom] = [
      await service.as({ name: "Ada Marsh" }),
      await service.as({ name: "Yuki Brandt" }),
      await service.as({ name: "Tomás Oyelaran" }),
    ];
    const conversation = await openConversation(ada, [yuki]);
    const added = await ada("PUT", `${conversation.members}/${tom.userId}`);
    const { status, body } = await yuki("GET", conversation.members);
    expect({ status, ...body }).toMatchObject({
      status: 200,
      data: [
        { user_id: ada.userId, display_name: "Ada Marsh", role: "owner" },
        { user_id: yuki.userId, display_name: "Yuki Brandt", role: "member" },
        added.body,
      ],
      page: { limit: 20, next_cursor: null },
    });
    expect(added.body).toMatchObject({ user_id: tom.userId, display_name: "Tomás Oyelaran", role: "member" });
  });

  it("does not list a former member, and lists a returning member last", async () => {
    const [ada, yuki, tom] = [await service.as(), await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki, tom]);
    await yuki("DELETE", `${conversation.members}/${yuki.userId}`);
    expect(userIds((await ada("GET", conversation.members)).body.data)).toEqual([ada.userId, tom.userId]);
    await ada("PUT", `${conversation.members}/${yuki.userId}`);
    expect(userIds((await ada("GET", conversation.members)).body.data)).toEqual([ada.userId, tom.userId, yuki.userId]);
  });

  it("pages through a hundred members, most with the same joined_at, exactly once", async () => {
    const ada = await service.as();
    const others = await Promise.all(Array.from({ length: 99 }, () => service.as()));
    const conversation = await openConversation(ada, others);
    for (const limit of [7, 100]) {
      const walked = userIds(await walk(ada, `${conversation.members}?limit=${limit}`));
      expect(walked).toHaveLength(100);
      expect(walked[0]).toBe(ada.userId);
      expect(new Set(walked)).toEqual(new Set([ada, ...others].map((it) => it.userId)));
    }
  });

  it("continues at the right place when the last member of a page leaves", async () => {
    const members = await Promise.all(Array.from({ length: 4 }, () => service.as()));
    const [ada] = members;
    const conversation = await openConversation(ada!, members);
    const all = userIds(await walk(ada!, conversation.members));
    const first = await ada!("GET", `${conversation.members}?limit=2`);
    await ada!("DELETE", `${conversation.members}/${all[1]}`);
    const rest = await ada!("GET", `${conversation.members}?after=${first.body.page.next_cursor}`);
    expect(userIds(rest.body.data)).toEqual(all.slice(2));
  });

  it("returns 400 invalid_cursor for a changed cursor and for a cursor of another conversation or list", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const [one, other] = [await openConversation(ada, [yuki]), await openConversation(ada, [yuki])];
    const cursor: string = (await ada("GET", `${one.members}?limit=1`)).body.page.next_cursor;
    const ofConversations: string = (await ada("GET", "/conversations?limit=1")).body.page.next_cursor;
    const ofMessages: string = (await ada("GET", one.messages)).body.page.prev_cursor;
    for (const path of [
      `${other.members}?after=${cursor}`,
      ...[tampered(cursor), ofConversations, ofMessages, yuki.userId].map((it) => `${one.members}?after=${it}`),
    ]) {
      expect({ path, answer: await ada("GET", path) }).toMatchObject({
        path,
        answer: { status: 400, body: { code: "invalid_cursor" } },
      });
    }
  });

  it("returns 400 for a cursor of 600 characters", async () => {
    const ada = await service.as();
    const conversation = await openConversation(ada, [ada]);
    expect(await ada("GET", `${conversation.members}?after=${"A".repeat(600)}`)).toMatchObject({
      status: 400,
      body: { code: "validation_failed" },
    });
  });

  it.each([...BAD_LIMITS.map((it) => `limit=${it}`), "sort=created_at", "role=owner"])("returns 400 for ?%s", async (query) => {
    const ada = await service.as();
    const conversation = await openConversation(ada, [ada]);
    expect(await ada("GET", `${conversation.members}?${query}`)).toMatchObject({
      status: 400,
      body: { code: "validation_failed" },
    });
  });
});
