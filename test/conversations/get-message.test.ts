import { randomUUIDv7 } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { openConversation, send } from "../support/conversations.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

describe("GET /conversations/{conversationId}/messages/{message_id}", () => {
  it("returns 200 with the message as its sender received it, also after the sender leaves", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki]);
    const { body: message } = await send(yuki, conversation, "I'll be there at seven, with coffee.");
    expect(await ada("GET", `${conversation.messages}/${message.id}`)).toMatchObject({ status: 200, body: message });
    await yuki("DELETE", `${conversation.members}/${yuki.userId}`);
    expect(await ada("GET", `${conversation.messages}/${message.id}`)).toMatchObject({ status: 200, body: message });
  });

  it("returns the same 403 not_a_member to a non-member, whether the message exists or not", async () => {
    const [ada, stranger] = [await service.as(), await service.as()];
    const conversation = await openConversation(ada, [ada]);
    const { body: message } = await send(ada, conversation, "Not for you.");
    const [there, missing] = [
      await stranger("GET", `${conversation.messages}/${message.id}`),
      await stranger("GET", `${conversation.messages}/${randomUUIDv7()}`),
    ];
    expect(there).toMatchObject({ status: 403, body: { code: "not_a_member" } });
    expect({ ...there.body, request_id: "" }).toEqual({ ...missing.body, request_id: "" });
  });
});
