import { describe, expect, it } from "@jest/globals";
import { withKey } from "../support/conversations.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

const POST = { title: "How we re-hung the doors", body: "The left one had sagged.\n\nWe planed it." };
const publish = async (body: unknown) => (await service.as())("POST", "/posts", body);
const publishText = async (text: string | Uint8Array) =>
  (await service.as())("POST", "/posts", text, { headers: { "Content-Type": "application/json" } });
const rowsOf = (authorId: string) => service.db.post.count({ where: { authorId } });

describe("POST /posts", () => {
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

  it("accepts 10,000 emoji even if each is written as two escape sequences", async () => {
    const answer = await publishText(`{"title":"A title","body":"${"\\ud83d\\ude00".repeat(10_000)}"}`);
    expect(answer).toMatchObject({ status: 201, body: { body: "😀".repeat(10_000) } });
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
});
