import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { purgeIdempotencyKeys } from "../../src/idempotency/idempotency.ts";
import type { Body } from "../support/client.ts";
import { openConversation, send, withKey } from "../support/conversations.ts";
import { earlier } from "../support/database.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

const countMessages = (conversationId: string) => service.db.message.count({ where: { conversationId } });

describe("POST /conversations/{conversationId}/messages", () => {
  it("returns 201 with a Location at which every member can read the message, and a retry creates no duplicate", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki]);
    const key = randomUUID();
    const first = await ada(
      "POST",
      conversation.messages,
      { body: "The slates come on Thursday.\nCan you be there?" },
      withKey(key),
    );
    expect(first).toMatchObject({
      status: 201,
      body: {
        conversation_id: conversation.id,
        sender_id: ada.userId,
        sequence: 1,
        body: "The slates come on Thursday.\nCan you be there?",
      },
    });
    expect(first.headers.get("location")).toBe(`${conversation.messages}/${first.body.id}`);
    const retry = await ada(
      "POST",
      conversation.messages,
      { body: "The slates come on Thursday.\nCan you be there?" },
      withKey(key),
    );
    expect(retry).toMatchObject({ status: 201, text: first.text });
    expect(retry.headers.get("location")).toBe(first.headers.get("location"));
    expect([first.headers.get("idempotency-replayed"), retry.headers.get("idempotency-replayed")]).toEqual([null, "true"]);
    for (const member of [ada, yuki]) {
      expect(await member("GET", first.headers.get("location")!)).toMatchObject({ status: 200, body: first.body });
      expect(await member("GET", conversation.messages)).toMatchObject({ status: 200, body: { data: [first.body] } });
    }
    expect((await yuki("GET", "/notifications?kind=message.created")).body.data).toHaveLength(1);
  });

  it("marks the notifications of the sender about the conversation as read, so the next one counts only what comes after", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const [conversation, other] = [await openConversation(ada, [yuki]), await openConversation(ada, [yuki])];
    for (const to of [conversation, conversation, other]) await send(ada, to, "A question");
    await send(yuki, conversation, "An answer");
    const unread = async () => (await yuki("GET", "/notifications?status=unread&kind=message.created")).body.data as Body[];
    const hrefs = async () => (await unread()).map((it) => [it.resource.href.startsWith(conversation.path), it.event_count]);
    expect(await hrefs()).toEqual([[false, 1]]);
    await send(ada, conversation, "Another question");
    expect(await yuki("GET", conversation.path)).toMatchObject({ body: { unread_count: 1 } });
    expect(await hrefs()).toEqual([
      [true, 1],
      [false, 1],
    ]);
  });

  it("replays a message after 400 days, although expired idempotency keys are deleted", async () => {
    const ada = await service.as();
    const conversation = await openConversation(ada, [ada]);
    const key = randomUUID();
    const first = await send(ada, conversation, "Hello", key);
    for (const table of ["messages", "conversations", "members", "idempotency_keys"]) {
      const columns = [table === "members" ? "joined_at" : "created_at", ...(table === "idempotency_keys" ? ["expires_at"] : [])];
      await service.db.$executeRawUnsafe(
        `UPDATE ${table} SET ${columns.map((it) => `${it} = ${earlier(it, "400 days")}`).join()}`,
      );
    }
    expect(await purgeIdempotencyKeys(service.db)).toBeGreaterThan(0);
    const retry = await send(ada, conversation, "Hello", key);
    expect(retry).toMatchObject({ status: 201, body: { id: first.body.id, sequence: 1 } });
    expect(retry.headers.get("idempotency-replayed")).toBe("true");
    expect(await send(ada, conversation, "Goodbye", key)).toMatchObject({ status: 422 });
    expect(await countMessages(conversation.id)).toBe(1);
  });

  it("returns 403 not_a_member for a retry of a removed sender, and replays the message after the sender returns", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki]);
    const key = randomUUID();
    const first = await send(yuki, conversation, "Hello", key);
    await ada("DELETE", `${conversation.members}/${yuki.userId}`);
    const refused = await send(yuki, conversation, "Hello", key);
    expect(refused).toMatchObject({ status: 403, body: { code: "not_a_member" } });
    expect(refused.text).not.toContain(first.body.id);
    expect(await send(yuki, conversation, "Something else", key)).toMatchObject({ status: 403, body: { code: "not_a_member" } });
    await ada("PUT", `${conversation.members}/${yuki.userId}`);
    expect(await send(yuki, conversation, "Hello", key)).toMatchObject({ status: 201, text: first.text });
    expect(await countMessages(conversation.id)).toBe(1);
  });

  it.each([
    ["4,000 emoji", "😀".repeat(4_000)],
    ["4,000 characters that JSON escapes", "\u0001".repeat(3_999) + "x"],
    ["text that resembles NUL", "\u2400 \\0 \\u0000"],
    ["right-to-left text and combining marks", "שלום é ﷽"],
  ])("accepts and returns unchanged: %s", async (_what, body) => {
    const ada = await service.as();
    const conversation = await openConversation(ada, [ada]);
    const sent = await send(ada, conversation, body);
    expect(sent).toMatchObject({ status: 201, body: { body } });
    expect((await ada("GET", sent.headers.get("location")!)).body.body).toBe(body);
  });
});
