import { randomUUID, randomUUIDv7 } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { purgeIdempotencyKeys } from "../../src/idempotency/idempotency.ts";
import { openConversation, send, withKey } from "../support/conversations.ts";
import { startTestService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

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

  it("sets last_message_at of the conversation to created_at of the newest message", async () => {
    const ada = await service.as();
    const conversation = await openConversation(ada, [ada]);
    for (let round = 0; round < 10; round++) {
      const { body } = await send(ada, conversation, `Message ${round}`);
      expect((await ada("GET", conversation.path)).body.last_message_at).toBe(body.created_at);
    }
  });

  it("returns 400 idempotency_key_required for a request without a key, and sends nothing", async () => {
    const ada = await service.as();
    const conversation = await openConversation(ada, [ada]);
    expect(await ada("POST", conversation.messages, { body: "Hello" })).toMatchObject({
      status: 400,
      body: { code: "idempotency_key_required" },
    });
    expect(await countMessages(conversation.id)).toBe(0);
  });

  it.each([
    ["of 5 characters", "short"],
    ["of 7 characters", "1234567"],
    ["of 129 characters", "x".repeat(129)],
    ["with a space", "with a space"],
    ["with only an opening quote", '"half-quoted'],
  ])("returns 400 for a key %s", async (_what, key) => {
    const ada = await service.as();
    const conversation = await openConversation(ada, [ada]);
    expect(await send(ada, conversation, "Hello", key)).toMatchObject({
      status: 400,
      body: {
        code: "validation_failed",
        errors: [{ in: "header", pointer: "/idempotency-key" }, ...(key.length < 8 ? [{}] : [])],
      },
    });
  });

  it("treats a key with and without quotes as the same key", async () => {
    const ada = await service.as();
    const conversation = await openConversation(ada, [ada]);
    const first = await send(ada, conversation, "Hello", '"quoted-key-1"');
    const again = await send(ada, conversation, "Hello", "quoted-key-1");
    expect(again.text).toBe(first.text);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
  });

  it("accepts keys of 8 and 128 characters, and treats keys that differ in case as different keys", async () => {
    const ada = await service.as();
    const conversation = await openConversation(ada, [ada]);
    const answers = [];
    for (const key of ["A.b_c:d~", "a.B_C:D~", "x".repeat(128)]) answers.push(await send(ada, conversation, "Hello", key));
    expect(answers).toMatchObject([
      { status: 201, body: { sequence: 1 } },
      { status: 201, body: { sequence: 2 } },
      { status: 201, body: { sequence: 3 } },
    ]);
  });

  it("returns 422 for the same key with another text, and sends nothing", async () => {
    const ada = await service.as();
    const conversation = await openConversation(ada, [ada]);
    const key = randomUUID();
    await send(ada, conversation, "Hello", key);
    expect(await send(ada, conversation, "Hello ", key)).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } });
    expect(await countMessages(conversation.id)).toBe(1);
  });

  it("treats the same key in another conversation, or of another sender, as another key", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const [one, other] = [await openConversation(ada, [yuki]), await openConversation(ada, [yuki])];
    const key = randomUUID();
    const answers = [
      await send(ada, one, "Hello", key),
      await send(ada, other, "Hello", key),
      await send(yuki, one, "Hello", key),
    ];
    expect(answers).toMatchObject([
      { status: 201, body: { sequence: 1 } },
      { status: 201, body: { sequence: 1 } },
      { status: 201, body: { sequence: 2 } },
    ]);
    expect(new Set(answers.map((it) => it.body.id)).size).toBe(3);
  });

  it("replays a message after 400 days, although expired idempotency keys are deleted", async () => {
    const ada = await service.as();
    const conversation = await openConversation(ada, [ada]);
    const key = randomUUID();
    const first = await send(ada, conversation, "Hello", key);
    for (const table of ["messages", "conversations", "members", "idempotency_keys"]) {
      const column = table === "members" ? "joined_at" : "created_at";
      await service.db.$executeRawUnsafe(
        `UPDATE ${table} SET ${column} = ${column} - interval '400 days'${table === "idempotency_keys" ? ", expires_at = expires_at - interval '400 days'" : ""}`,
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
    ["an empty string", ""],
    ["only spaces", "   "],
    ["only line breaks", "\n\n"],
    ["4,001 characters", "x".repeat(4_001)],
    ["NUL", "a\0b"],
    ["an unpaired surrogate", "a\ud800b"],
    ["a number", 7],
    ["null", null],
    ["an array", ["x"]],
    ["an object", { text: "x" }],
  ])("returns 400 for a body that is or contains: %s, and sends nothing", async (_what, body) => {
    const ada = await service.as();
    const conversation = await openConversation(ada, [ada]);
    const answer = await send(ada, conversation, body);
    expect(answer).toMatchObject({
      status: 400,
      body: {
        code: "validation_failed",
        errors: expect.arrayContaining([expect.objectContaining({ in: "body", pointer: "/body" })]),
      },
    });
    expect(await countMessages(conversation.id)).toBe(0);
  });

  it.each([
    ["4,000 emoji", "😀".repeat(4_000)],
    ["4,000 characters that JSON escapes", "\u0001".repeat(3_999) + "x"],
    ["text that looks like NUL", "\u2400 \\0 \\u0000"],
    ["right-to-left text and combining marks", "שלום é ﷽"],
  ])("accepts and returns unchanged: %s", async (_what, body) => {
    const ada = await service.as();
    const conversation = await openConversation(ada, [ada]);
    const sent = await send(ada, conversation, body);
    expect(sent).toMatchObject({ status: 201, body: { body } });
    expect((await ada("GET", sent.headers.get("location")!)).body.body).toBe(body);
  });

  it("returns 400 for 20,000 spaces and NUL within 50 ms, without backtracking in a pattern", async () => {
    const ada = await service.as();
    const conversation = await openConversation(ada, [ada]);
    let tookMs = Infinity;
    for (let time = 0; time < 10; time++) {
      const startedMs = performance.now();
      expect(await send(ada, conversation, `${" ".repeat(20_000)}\0`)).toMatchObject({ status: 400 });
      // The fastest of ten, because a busy machine can slow down single requests.
      tookMs = Math.min(tookMs, performance.now() - startedMs);
    }
    process.stderr.write(`400 to 20 000 blanks and NUL after ${tookMs.toFixed(1)} ms\n`);
    expect(tookMs).toBeLessThan(50);
  });

  it.each(["id", "sender_id", "sequence", "created_at", "conversation_id"])(
    "returns 400 for the field %s, which only the service sets",
    async (field) => {
      const ada = await service.as();
      const conversation = await openConversation(ada, [ada]);
      expect(await ada("POST", conversation.messages, { body: "Hello", [field]: randomUUIDv7() }, withKey())).toMatchObject({
        status: 400,
        body: { code: "validation_failed", errors: [{ code: "additionalProperties" }] },
      });
    },
  );

  it("returns 403 insufficient_scope for a member with a read-only token", async () => {
    const [ada, reader] = [await service.as(), await service.as({ scopes: ["conversations:read"] })];
    const conversation = await openConversation(ada, [reader]);
    expect(await send(reader, conversation, "Hello")).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
  });
});
