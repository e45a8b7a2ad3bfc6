import { describe, expect, it } from "@jest/globals";
import { openConversation, walk } from "../support/conversations.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

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

  it("continues at the right position when the last member of a page leaves", async () => {
    const members = await Promise.all(Array.from({ length: 4 }, () => service.as()));
    const [ada] = members;
    const conversation = await openConversation(ada!, members);
    const all = userIds(await walk(ada!, conversation.members));
    const first = await ada!("GET", `${conversation.members}?limit=2`);
    await ada!("DELETE", `${conversation.members}/${all[1]}`);
    const rest = await ada!("GET", `${conversation.members}?after=${first.body.page.next_cursor}`);
    expect(userIds(rest.body.data)).toEqual(all.slice(2));
  });
});
