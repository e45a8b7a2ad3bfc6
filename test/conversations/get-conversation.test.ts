import { randomUUIDv7 } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { openConversation, send, withKey, type Conversation } from "../support/conversations.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

/** A request for every operation under a conversation. */
const everything = (conversation: Conversation, userId: string, messageId: string) =>
  [
    ["GET", conversation.path],
    ["GET", conversation.members],
    ["PUT", `${conversation.members}/${userId}`],
    ["DELETE", `${conversation.members}/${userId}`],
    ["GET", conversation.messages],
    ["POST", conversation.messages, { body: "Let me in." }],
    ["GET", `${conversation.messages}/${messageId}`],
  ] as const;

describe("GET /conversations/{conversationId}", () => {
  it("returns 200 with the current state of the conversation to every member", async () => {
    const [ada, yuki, tom] = [await service.as(), await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki], "Boathouse roof");
    const { body: message } = await send(yuki, conversation, "Thursday?");
    await ada("PUT", `${conversation.members}/${tom.userId}`);
    for (const member of [ada, yuki, tom]) {
      expect(await member("GET", conversation.path)).toMatchObject({
        status: 200,
        body: {
          id: conversation.id,
          title: "Boathouse roof",
          created_by: ada.userId,
          member_count: 3,
          last_message_at: message.created_at,
        },
      });
    }
  });

  it("returns 404 for an unknown conversation on every operation below it", async () => {
    const ada = await service.as();
    const path = `/conversations/${randomUUIDv7()}`;
    const nowhere = { id: "", path, messages: `${path}/messages`, members: `${path}/members` };
    for (const [method, at, body] of everything(nowhere, ada.userId, randomUUIDv7())) {
      expect({ method, at, answer: await ada(method, at, body, withKey()) }).toMatchObject({
        method,
        at,
        answer: { status: 404, body: { code: "not_found" } },
      });
    }
  });
});
