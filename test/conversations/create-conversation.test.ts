import { randomUUID, randomUUIDv7 } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { withKey } from "../support/conversations.ts";
import { refusesLikeEveryArea } from "../support/common-refusals.ts";
import { startPlannedService } from "../support/plans.ts";
import { startTestService, type TestService } from "../support/service.ts";

/** The statement with which PostgreSQL checks a foreign key of a new row. */
const FOREIGN_KEY_CHECK = /^SELECT 1 FROM ONLY \S+ x WHERE .* FOR KEY SHARE OF x$/;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

describe("POST /conversations", () => {
  it("returns 201 with the Location of a conversation owned by the caller, with the given users as members", async () => {
    const [ada, yuki, tom] = [await service.as(), await service.as(), await service.as()];
    const created = await ada(
      "POST",
      "/conversations",
      { title: "Boathouse roof", member_ids: [yuki.userId, tom.userId] },
      withKey(),
    );
    expect(created).toMatchObject({
      status: 201,
      body: { title: "Boathouse roof", created_by: ada.userId, member_count: 3, last_message_at: null },
    });
    expect(created.headers.get("location")).toBe(`/conversations/${created.body.id}`);
    expect(created.headers.has("idempotency-replayed")).toBe(false);
    for (const member of [ada, yuki, tom])
      expect(await member("GET", created.headers.get("location")!)).toMatchObject({ status: 200, body: created.body });
    const { body } = await yuki("GET", `${created.headers.get("location")}/members`);
    expect(new Map(body.data.map((it: { user_id: string; role: string }) => [it.user_id, it.role]))).toEqual(
      new Map([
        [ada.userId, "owner"],
        [yuki.userId, "member"],
        [tom.userId, "member"],
      ]),
    );
  });

  it("returns 201 for a request without a title, and the title is null", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    expect(await ada("POST", "/conversations", { member_ids: [yuki.userId] }, withKey())).toMatchObject({
      status: 201,
      body: { title: null, member_count: 2 },
    });
  });

  it("accepts the caller in member_ids, and the caller is still the owner and counted once", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const created = await ada("POST", "/conversations", { member_ids: [yuki.userId, ada.userId] }, withKey());
    expect(created).toMatchObject({ status: 201, body: { member_count: 2, created_by: ada.userId } });
    const alone = await ada("POST", "/conversations", { member_ids: [ada.userId] }, withKey());
    expect(alone).toMatchObject({ status: 201, body: { member_count: 1 } });
    expect((await ada("GET", `${alone.headers.get("location")}/members`)).body.data).toMatchObject([
      { user_id: ada.userId, role: "owner" },
    ]);
  });

  it("accepts 99 other members, which makes 100 members, of whom the owner is the first to have joined", async () => {
    const others = await Promise.all(Array.from({ length: 99 }, () => service.as()));
    // The id of the owner comes after all others.
    const ada = await service.as();
    const created = await ada("POST", "/conversations", { member_ids: others.map((it) => it.userId) }, withKey());
    expect(created).toMatchObject({ status: 201, body: { member_count: 100 } });
    const { body } = await ada("GET", `${created.headers.get("location")}/members?limit=100`);
    const [first, ...rest] = body.data as { user_id: string; role: string; joined_at: string }[];
    expect(first).toMatchObject({ user_id: ada.userId, role: "owner" });
    expect(rest).toHaveLength(99);
    expect(rest.filter((it) => it.role !== "member" || it.joined_at <= first!.joined_at)).toEqual([]);
  });

  it("returns 422 unknown_user that points at each unknown or deleted id, creates nothing, and notifies no user", async () => {
    const [ada, yuki, gone] = [await service.as(), await service.as(), await service.as()];
    await service.db.user.update({ where: { id: gone.userId }, data: { deletedAt: new Date() } });
    const answer = await ada(
      "POST",
      "/conversations",
      { member_ids: [yuki.userId, randomUUIDv7(), ada.userId, gone.userId] },
      withKey(),
    );
    expect(answer).toMatchObject({
      status: 422,
      body: {
        code: "unknown_user",
        errors: [
          { in: "body", pointer: "/member_ids/1" },
          { in: "body", pointer: "/member_ids/3" },
        ],
      },
    });
    expect(await ada("POST", "/conversations", { member_ids: [gone.userId] }, withKey())).toMatchObject({
      status: 422,
      body: { code: "unknown_user", errors: [{ in: "body", pointer: "/member_ids/0" }] },
    });
    expect((await ada("GET", "/conversations")).body.data).toEqual([]);
    expect((await yuki("GET", "/notifications")).body.data).toEqual([]);
  });

  it.each([
    ["no member_ids", { title: "x" }, "", "required"],
    ["no id", { member_ids: [] }, "/member_ids", "minItems"],
    ["100 ids", { member_ids: Array.from({ length: 100 }, () => randomUUIDv7()) }, "/member_ids", "maxItems"],
    [
      "the same id twice",
      { member_ids: Array.from({ length: 2 }, () => "01a1e35e-f078-759b-82a0-5d32985fb4e7") },
      "/member_ids",
      "uniqueItems",
    ],
    ["a name", { member_ids: ["ada"] }, "/member_ids/0", ""],
    ["an id in capitals", { member_ids: ["01A1E35E-F078-759B-82A0-5D32985FB4E7"] }, "/member_ids/0", "format"],
    ["an id as a URN", { member_ids: ["urn:uuid:01a1e35e-f078-759b-82a0-5d32985fb4e7"] }, "/member_ids/0", ""],
    ["a number", { member_ids: [7] }, "/member_ids/0", "type"],
    ["null", { member_ids: [null] }, "/member_ids/0", "type"],
    ["a single id", { member_ids: randomUUIDv7() }, "/member_ids", "type"],
  ])("returns 400 for member_ids with %s", async (_what, body, pointer, code) => {
    const answer = await (await service.as())("POST", "/conversations", body, withKey());
    expect(answer).toMatchObject({
      status: 400,
      body: {
        code: "validation_failed",
        errors: expect.arrayContaining([
          expect.objectContaining({ in: "body", pointer: expect.stringContaining(pointer), code: expect.stringContaining(code) }),
        ]),
      },
    });
  });

  it.each([
    ["an empty string", ""],
    ["only spaces", "   "],
    ["two lines", "a\nb"],
    ["a tab", "a\tb"],
    ["NUL", "a\0b"],
    ["201 characters", "x".repeat(201)],
    ["an unpaired surrogate", "\ud800"],
    ["a number", 7],
    ["null", null],
  ])("returns 400 for a title that is or contains: %s", async (_what, title) => {
    const [ada, yuki] = [await service.as(), await service.as()];
    expect(await ada("POST", "/conversations", { title, member_ids: [yuki.userId] }, withKey())).toMatchObject({
      status: 400,
      body: { code: "validation_failed", errors: [{ in: "body", pointer: "/title" }, ...(title === "" ? [{}] : [])] },
    });
  });

  it("accepts a title of 200 emoji, because it counts characters and not bytes", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const title = "🪚".repeat(200);
    expect(await ada("POST", "/conversations", { title, member_ids: [yuki.userId] }, withKey())).toMatchObject({
      status: 201,
      body: { title },
    });
  });

  it("returns 400 for a field that is not in the contract", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    for (const field of ["id", "created_by", "owner_id", "members"]) {
      expect(await ada("POST", "/conversations", { member_ids: [yuki.userId], [field]: ada.userId }, withKey())).toMatchObject({
        status: 400,
        body: { code: "validation_failed", errors: [{ code: "additionalProperties" }] },
      });
    }
  });
});

describe("POST /conversations with an Idempotency-Key", () => {
  it("returns 400 idempotency_key_required for a request without a key", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    expect(await ada("POST", "/conversations", { member_ids: [yuki.userId] })).toMatchObject({
      status: 400,
      body: { code: "idempotency_key_required" },
    });
  });

  it.each([
    ["of 5 characters", "short"],
    ["of 7 characters", "1234567"],
    ["of 129 characters", "x".repeat(129)],
    ["with a space", "with a space"],
    ["with only an opening quote", '"half-quoted'],
    ["with a quote inside", 'quoted"inside'],
    ["with an umlaut", "käse-käse"],
  ])("returns 400 for a key %s", async (_what, key) => {
    const [ada, yuki] = [await service.as(), await service.as()];
    expect(await ada("POST", "/conversations", { member_ids: [yuki.userId] }, withKey(key))).toMatchObject({
      status: 400,
      body: {
        code: "validation_failed",
        errors: expect.arrayContaining([expect.objectContaining({ in: "header", pointer: "/idempotency-key" })]),
      },
    });
  });

  it("replays the first response byte for byte, also for a quoted key and fields in another order", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const key = randomUUID();
    const first = await ada("POST", "/conversations", { title: "Roof", member_ids: [yuki.userId] }, withKey(key));
    const again = await ada("POST", "/conversations", { member_ids: [yuki.userId], title: "Roof" }, withKey(`"${key}"`));
    expect(again).toMatchObject({ status: 201, text: first.text });
    expect(again.headers.get("location")).toBe(first.headers.get("location"));
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect((await ada("GET", "/conversations")).body.data).toHaveLength(1);
    expect((await yuki("GET", "/notifications")).body.data).toHaveLength(1);
  });

  it("returns 201 for ten concurrent requests with one key, and creates one conversation", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const key = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => ada("POST", "/conversations", { member_ids: [yuki.userId] }, withKey(key))),
    );
    expect(answers.map((it) => it.status)).toEqual(Array.from({ length: 10 }, () => 201));
    expect(new Set(answers.map((it) => it.text)).size).toBe(1);
    expect(answers.filter((it) => it.headers.get("idempotency-replayed") === "true")).toHaveLength(9);
    expect(await service.db.conversation.count({ where: { createdById: ada.userId } })).toBe(1);
  });

  it("returns 422 for the same key with another request, and creates nothing", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const key = randomUUID();
    await ada("POST", "/conversations", { title: "Roof", member_ids: [yuki.userId] }, withKey(key));
    expect(await ada("POST", "/conversations", { title: "Door", member_ids: [yuki.userId] }, withKey(key))).toMatchObject({
      status: 422,
      body: { code: "idempotency_key_reused" },
    });
    expect((await ada("GET", "/conversations")).body.data).toHaveLength(1);
  });

  it("treats the same key of another user as another key", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const key = randomUUID();
    const [one, other] = [
      await ada("POST", "/conversations", { member_ids: [yuki.userId] }, withKey(key)),
      await yuki("POST", "/conversations", { member_ids: [ada.userId] }, withKey(key)),
    ];
    expect([one.status, other.status]).toEqual([201, 201]);
    expect(one.body.id).not.toBe(other.body.id);
  });

  it("replays the first response even after the conversation is deleted", async () => {
    const [ada, key] = [await service.as(), randomUUID()];
    const first = await ada("POST", "/conversations", { member_ids: [ada.userId] }, withKey(key));
    await ada("DELETE", `/conversations/${first.body.id}/members/${ada.userId}`);
    expect(await ada("POST", "/conversations", { member_ids: [ada.userId] }, withKey(key))).toMatchObject({
      status: 201,
      text: first.text,
    });
  });

  it("processes the retry of a failed request as a new request", async () => {
    const [ada, key, id] = [await service.as(), randomUUID(), randomUUIDv7()];
    expect(await ada("POST", "/conversations", { member_ids: [id] }, withKey(key))).toMatchObject({ status: 422 });
    await service.db.user.create({ data: { id, displayName: "Late" } });
    expect(await ada("POST", "/conversations", { member_ids: [id] }, withKey(key))).toMatchObject({ status: 201 });
  });
});

describe("POST /conversations with 99 other members", () => {
  it("is one statement, which runs one more in a trigger and one in a function, besides the checks of the foreign keys", async () => {
    await using planned = await startPlannedService(async () => {}, { ROLE: "api" });
    const others = await Promise.all(Array.from({ length: 99 }, () => planned.as()));
    const ada = await planned.as();
    const member_ids = others.map((it) => it.userId);
    // The second request looks up no credential.
    for (const _ of [1, 2]) {
      const { result, statements } = await planned.statementsOf(() => ada("POST", "/conversations", { member_ids }, withKey()));
      expect(result).toMatchObject({ status: 201, body: { member_count: 100 } });
      expect(statements.map((it) => it.sql).filter((sql) => !FOREIGN_KEY_CHECK.test(sql) && !/FROM api_keys/.test(sql))).toEqual([
        expect.stringContaining("INSERT INTO notifications"),
        expect.stringContaining("UPDATE conversations"),
        expect.stringContaining("INSERT INTO conversations"),
      ]);
    }
  });
});

refusesLikeEveryArea(() => service, {
  method: "POST",
  path: "/conversations",
  scope: "conversations:write",
  body: { member_ids: [randomUUIDv7()] },
  headers: { "Idempotency-Key": "a-common-key" },
  wrongMethod: "DELETE",
  allow: "GET, HEAD, POST, OPTIONS",
});
