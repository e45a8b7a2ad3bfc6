import { randomUUIDv7 } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { openConversation, send, withKey, type Conversation } from "../support/conversations.ts";
import { startTestService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

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

  it("returns 200 without a body for HEAD", async () => {
    const ada = await service.as();
    const conversation = await openConversation(ada, [ada]);
    expect(await ada("HEAD", conversation.path)).toMatchObject({ status: 200, text: "" });
  });

  it("returns 403 not_a_member to non-members and former members on every operation below it, and changes nothing", async () => {
    const [ada, yuki, stranger] = [await service.as(), await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki]);
    const { body: message } = await send(yuki, conversation, "I was here.");
    await ada("DELETE", `${conversation.members}/${yuki.userId}`);
    for (const outsider of [stranger, yuki]) {
      for (const [method, path, body] of everything(conversation, ada.userId, message.id)) {
        expect({ method, path, answer: await outsider(method, path, body, withKey()) }).toMatchObject({
          method,
          path,
          answer: { status: 403, body: { code: "not_a_member" } },
        });
      }
    }
    expect((await ada("GET", conversation.messages)).body.data).toEqual([message]);
    expect((await ada("GET", conversation.members)).body.data).toHaveLength(1);
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

  it.each([
    "xyz",
    "1",
    "01A1E35E-F078-759B-82A0-5D32985FB4E7",
    "urn:uuid:01a1e35e-f078-759b-82a0-5d32985fb4e7",
    "01a1e35ef078759b82a05d32985fb4e7",
    "%00",
    "%E0%A4%A",
    "01a1e35e-f078-759b-82a0-5d32985fb4e7%20",
  ])("returns 400 for the id %s on every operation below it", async (id) => {
    const ada = await service.as();
    const path = `/conversations/${id}`;
    for (const [method, at, body] of everything(
      { id, path, messages: `${path}/messages`, members: `${path}/members` },
      ada.userId,
      randomUUIDv7(),
    )) {
      expect({ method, at, answer: await ada(method, at, body, withKey()) }).toMatchObject({
        method,
        at,
        answer: { status: 400, body: { code: "validation_failed" } },
      });
    }
  });

  it("returns the same 403 insufficient_scope to a write-only token, whether the conversation exists or not", async () => {
    const [ada, writer] = [await service.as(), await service.as({ scopes: ["conversations:write"] })];
    const conversation = await openConversation(ada, [writer]);
    for (const path of [conversation.path, conversation.members, conversation.messages, `/conversations/${randomUUIDv7()}`]) {
      expect(await writer("GET", path)).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
    }
    expect(await send(writer, conversation, "Writing I may.")).toMatchObject({ status: 201 });
  });

  it("returns 400 for a query parameter that is not in the contract", async () => {
    const ada = await service.as();
    const conversation = await openConversation(ada, [ada]);
    expect(await ada("GET", `${conversation.path}?expand=members`)).toMatchObject({
      status: 400,
      body: { code: "validation_failed" },
    });
  });
});
