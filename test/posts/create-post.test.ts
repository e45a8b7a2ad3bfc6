import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { refusesLikeEveryArea } from "../support/common-refusals.ts";
import { withKey } from "../support/conversations.ts";
import { hold } from "../support/locks.ts";
import { startTestService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ ROLE: "api" });
});
afterAll(() => service.close());

const POST = { title: "How we re-hung the doors", body: "The left one had sagged.\n\nWe planed it." };
const publish = async (body: unknown) => (await service.as())("POST", "/posts", body);
const publishText = async (text: string | Uint8Array) =>
  (await service.as())("POST", "/posts", text, { headers: { "Content-Type": "application/json" } });
const rowsOf = (authorId: string) => service.db.post.count({ where: { authorId } });
const refusedField = (pointer: string) => ({
  errors: expect.arrayContaining([expect.objectContaining({ in: "body", pointer })]),
});

describe("POST /posts", () => {
  it("returns 201 with the ETag of the post and a Location at which every user can read it", async () => {
    const ada = await service.as();
    const created = await ada("POST", "/posts", POST);
    expect(created).toMatchObject({ status: 201, body: { ...POST, author_id: ada.userId } });
    expect(created.body.updated_at).toBe(created.body.created_at);
    expect(created.headers.get("location")).toBe(`/posts/${created.body.id}`);
    const read = await (await service.as())("GET", created.headers.get("location")!);
    expect(read).toMatchObject({ status: 200, body: created.body });
    expect(read.headers.get("etag")).toBe(created.headers.get("etag"));
  });

  it("creates two posts for two equal requests without an idempotency key", async () => {
    const ada = await service.as();
    for (let attempt = 0; attempt < 2; attempt++) await ada("POST", "/posts", POST);
    expect(await rowsOf(ada.userId)).toBe(2);
  });

  it.each([
    ["line breaks, tabs and trailing spaces", "a\r\n\tb \n "],
    ["right-to-left and zero-width characters", "\u202eabc\u202c \u200b\u200d\ufeffx"],
    ["decomposed letters", "e\u0301 \u00e9 \u1e9b\u0323"],
    ["emoji and the last code point", "👩‍👩‍👧 \u{10ffff}"],
    ["quotes, backslashes and markup", "'\"\\ $1 %s <script>alert(1)</script> \u2028"],
    ["control characters", "a\u0001\u0007\u001b[31m\u007f"],
    ["a non-character", "\uffff"],
  ])("stores a body character for character: %s", async (_what, body) => {
    const created = await publish({ ...POST, body });
    expect(created).toMatchObject({ status: 201, body: { body } });
    expect((await service.db.post.findUniqueOrThrow({ where: { id: created.body.id } })).body).toBe(body);
  });

  it("counts characters and not bytes: accepts 200 emoji in a title and 10,000 in a body, and no more", async () => {
    const content = { title: "😀".repeat(200), body: "😀".repeat(10_000) };
    expect(await publish(content)).toMatchObject({ status: 201, body: content });
    expect(await publish({ ...content, title: "😀".repeat(201) })).toMatchObject({ status: 400, body: refusedField("/title") });
    expect(await publish({ ...content, body: "😀".repeat(10_001) })).toMatchObject({ status: 400, body: refusedField("/body") });
  });

  it("accepts 10,000 emoji even if each is written as two escape sequences", async () => {
    const answer = await publishText(`{"title":"A title","body":"${"\\ud83d\\ude00".repeat(10_000)}"}`);
    expect(answer).toMatchObject({ status: 201, body: { body: "😀".repeat(10_000) } });
  });

  it.each([
    ["a line break", "a\nb"],
    ["a tab", "a\tb"],
    ["only spaces", "   "],
    ["an empty string", ""],
    ["201 characters", "x".repeat(201)],
    ["NUL", "a\0b"],
    ["DEL", "a\x7fb"],
    ["an unpaired surrogate", "a\ud800"],
    ["a number", 7],
    ["null", null],
    ["an array", ["a"]],
    ["no value", undefined],
  ])("returns 400 for a title that is or contains: %s", async (_what, title) => {
    expect(await publish({ ...POST, title })).toMatchObject({
      status: 400,
      body: { code: "validation_failed", ...refusedField("/title") },
    });
  });

  it.each([
    ["an empty string", ""],
    ["only whitespace", " \n\t "],
    ["10,001 characters", "x".repeat(10_001)],
    ["NUL", "a\0"],
    ["an unpaired surrogate", "\udfff a"],
    ["a number", 7],
    ["null", null],
    ["no value", undefined],
  ])("returns 400 for a body that is or contains: %s", async (_what, body) => {
    expect(await publish({ ...POST, body })).toMatchObject({
      status: 400,
      body: { code: "validation_failed", ...refusedField("/body") },
    });
  });

  it.each(["author_id", "id", "created_at", "updated_at", "constructor", "toString"])(
    "returns 400 for the field %s, which is not in the contract",
    async (field) => {
      expect(await publish({ ...POST, [field]: randomUUID() })).toMatchObject({
        status: 400,
        body: { code: "validation_failed", errors: [{ pointer: `/${field}`, code: "additionalProperties" }] },
      });
    },
  );

  it.each([
    ["an array", "[]"],
    ["null", "null"],
    ["a string", '"x"'],
    ["a number that is too large", "1e999"],
    ["true", "true"],
    ["only spaces", "   "],
    ["half an object", '{"title":"a"'],
    ["a trailing comma", '{"title":"a","body":"b",}'],
    ["single quotes", "{'title':'a'}"],
    ["20,000 nested arrays", `${"[".repeat(20_000)}${"]".repeat(20_000)}`],
    ["20,000 unclosed brackets", "[".repeat(20_000)],
    ["20,000 nested objects", `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`],
    ["__proto__", '{"title":"a","body":"b","__proto__":{"x":1}}'],
    ["two JSON documents", '{"title":"a","body":"b"} {}'],
    ["NaN", '{"title":NaN,"body":"b"}'],
  ])("returns 400 for a request body that is or contains: %s", async (_what, text) => {
    expect(await publishText(text)).toMatchObject({
      status: 400,
      body: { code: expect.stringMatching(/^(malformed_body|validation_failed)$/) },
    });
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  it.each([
    ["a lone continuation byte", [0x80]],
    ["an overlong slash", [0xc0, 0xaf]],
    ["an encoded surrogate", [0xed, 0xa0, 0x80]],
    ["half a character", [0xf0, 0x9f, 0x98]],
    ["Latin-1", [0xe9]],
  ])("returns 400 malformed_body for bytes that are not UTF-8: %s", async (_what, bytes) => {
    const text = Buffer.concat([Buffer.from('{"title":"a","body":"'), Buffer.from(bytes), Buffer.from('"}')]);
    expect(await publishText(text)).toMatchObject({ status: 400, body: { code: "malformed_body" } });
  });

  it("uses the last of two fields with the same name", async () => {
    expect(await publishText('{"title":"first","body":"b","title":"last"}')).toMatchObject({
      status: 201,
      body: { title: "last" },
    });
  });

  it("returns 400 for 20,000 spaces and NUL without backtracking in a pattern", async () => {
    const ada = await service.as();
    const fastest = async (body: string) => {
      const times: number[] = [];
      for (let attempt = 0; attempt < 5; attempt++) {
        const startedMs = performance.now();
        expect(await ada("POST", "/posts", { title: "A title", body })).toMatchObject({ status: 400 });
        times.push(performance.now() - startedMs);
      }
      return Math.min(...times);
    };
    // A pattern that backtracks takes hundreds of milliseconds every time. A busy machine is slow with a short body too.
    const short = await fastest("\0");
    expect(await fastest(`${" ".repeat(20_000)}\0`)).toBeLessThan(Math.max(50, 10 * short));
  });
});

describe("POST /posts with an Idempotency-Key", () => {
  it("replays the first response, marked as replayed, even after the post was changed and deleted", async () => {
    const ada = await service.as();
    const key = withKey();
    const first = await ada("POST", "/posts", POST, key);
    const path = first.headers.get("location")!;
    const repeat = async () => {
      const again = await ada("POST", "/posts", { body: POST.body, title: POST.title }, key);
      expect(again).toMatchObject({ status: 201, body: first.body });
      expect(["idempotency-replayed", "location", "etag"].map((name) => again.headers.get(name))).toEqual([
        "true",
        path,
        first.headers.get("etag"),
      ]);
    };
    await repeat();
    await ada("PATCH", path, { title: "Another title" });
    await repeat();
    await ada("DELETE", path);
    await repeat();
    expect(await rowsOf(ada.userId)).toBe(0);
  });

  it("returns 422 idempotency_key_reused for the same key with another post, and creates nothing", async () => {
    const ada = await service.as();
    const key = withKey();
    await ada("POST", "/posts", POST, key);
    expect(await ada("POST", "/posts", { ...POST, title: "Another" }, key)).toMatchObject({
      status: 422,
      body: { code: "idempotency_key_reused" },
    });
    expect(await rowsOf(ada.userId)).toBe(1);
  });

  it("creates one post for ten concurrent requests with one key, and returns it to all of them", async () => {
    const ada = await service.as();
    const key = withKey();
    const answers = await Promise.all(Array.from({ length: 10 }, () => ada("POST", "/posts", POST, key)));
    expect(new Set(answers.map((it) => `${it.status} ${it.body.id} ${it.headers.get("etag")}`)).size).toBe(1);
    expect(answers[0]!.status).toBe(201);
    expect(await rowsOf(ada.userId)).toBe(1);
  });

  it("returns 409 idempotency_in_progress with Retry-After while the first attempt still runs, and creates nothing", async () => {
    const ada = await service.as();
    const key = randomUUID();
    const claim =
      "INSERT INTO idempotency_keys (user_id, operation_id, key, fingerprint, status, headers, body) VALUES ($1::uuid, 'createPost', $2, '', 0, '{}', '')";
    await using first = await hold(service.databaseUrl, claim, [ada.userId, key]);
    const answer = await ada("POST", "/posts", POST, withKey(key));
    expect(answer).toMatchObject({ status: 409, body: { code: "idempotency_in_progress" } });
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    await first.release();
    expect(await rowsOf(ada.userId)).toBe(0);
  });

  it.each(["short", "a".repeat(131), "with space in it"])("returns 400 for the key %s", async (key) => {
    expect(await (await service.as())("POST", "/posts", POST, withKey(key))).toMatchObject({
      status: 400,
      body: { code: "validation_failed" },
    });
  });
});

refusesLikeEveryArea(() => service, {
  method: "POST",
  path: "/posts",
  scope: "posts:write",
  wrongMethod: "PATCH",
  allow: "GET, HEAD, POST, OPTIONS",
  body: POST,
});
