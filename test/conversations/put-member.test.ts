import { randomUUIDv7 } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { openConversation } from "../support/conversations.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

describe("PUT /conversations/{conversationId}/members/{user_id}", () => {
  it("returns 200 with the unchanged member for a second request, and notifies the member only once", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const conversation = await openConversation(ada, [ada]);
    const first = await ada("PUT", `${conversation.members}/${yuki.userId}`);
    expect(await ada("PUT", `${conversation.members}/${yuki.userId}`)).toMatchObject({ status: 200, body: first.body });
    expect((await yuki("GET", "/notifications")).body.data).toHaveLength(1);
  });

  it("returns one 201 and nine 200 for ten concurrent requests for one user, and notifies the user once", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const conversation = await openConversation(ada, [ada]);
    const answers = await Promise.all(Array.from({ length: 10 }, () => ada("PUT", `${conversation.members}/${yuki.userId}`)));
    expect(answers.map((it) => it.status).toSorted()).toEqual([200, 200, 200, 200, 200, 200, 200, 200, 200, 201]);
    expect((await yuki("GET", "/notifications")).body.data).toHaveLength(1);
  });

  it("returns 403 not_the_owner to a member for a new, existing or unknown user, and adds no user", async () => {
    const [ada, yuki, tom] = [await service.as(), await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki]);
    for (const id of [tom.userId, ada.userId, yuki.userId, randomUUIDv7()]) {
      expect(await yuki("PUT", `${conversation.members}/${id}`)).toMatchObject({ status: 403, body: { code: "not_the_owner" } });
    }
    expect(await ada("GET", conversation.path)).toMatchObject({ body: { member_count: 2 } });
  });

  it("returns 409 conversation_full for the 101st member, also when three requests compete for the last membership", async () => {
    const ada = await service.as();
    const others = await Promise.all(Array.from({ length: 101 }, () => service.as()));
    const conversation = await openConversation(ada, others.slice(0, 98));
    expect(await ada("GET", conversation.path)).toMatchObject({ body: { member_count: 99 } });
    const answers = await Promise.all(others.slice(98).map((it) => ada("PUT", `${conversation.members}/${it.userId}`)));
    expect(answers.map((it) => it.status).toSorted()).toEqual([201, 409, 409]);
    expect(answers.find((it) => it.status === 409)?.body.code).toBe("conversation_full");
    expect(await ada("GET", conversation.path)).toMatchObject({ body: { member_count: 100 } });
    // An existing member still gets 200, and a new member can join after another leaves.
    expect(await ada("PUT", `${conversation.members}/${others[0]!.userId}`)).toMatchObject({ status: 200 });
    await ada("DELETE", `${conversation.members}/${others[0]!.userId}`);
    expect(await ada("PUT", `${conversation.members}/${others[0]!.userId}`)).toMatchObject({ status: 201 });
  });
});
