import { describe, expect, it } from "@jest/globals";
import { withKey } from "../support/conversations.ts";
import { prepare } from "../support/prepare.ts";
import { sentence } from "../support/sentence.ts";
import { startTestService } from "../support/service.ts";
import { publish } from "../support/posts.ts";
import type { Client } from "../support/client.ts";
import { hold } from "../support/locks.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

const POST = { title: "How we re-hung the doors", body: "The left one had sagged.\n\nWe planed it." };
const rowsOf = (authorId: string) => service.db.post.count({ where: { authorId } });

describe("POST /posts", () => {
  const TEXT = sentence("**Text** is counted in Unicode code points and returned as you sent it.");
  it(`${TEXT} In the database, too`, async () => {
    const ada = await service.as();
    for (const body of [
      "a\r\n\tb \n ",
      "\u202eabc\u202c \u200b\u200d\ufeffx",
      "e\u0301 \u00e9 \u1e9b\u0323",
      "👩‍👩‍👧 \u{10ffff}",
      "'\"\\ $1 %s <script>alert(1)</script> \u2028",
      "a\u0001\u0007\u001b[31m\u007f",
      "\uffff",
    ]) {
      const { post } = await publish(ada, { body });
      expect([post.body, (await service.db.post.findUniqueOrThrow({ where: { id: post.id } })).body]).toEqual([body, body]);
    }
  });

  it.each([
    ["10,000 emoji, even if each is written as two escape sequences", "\\ud83d\\ude00".repeat(10_000), "😀".repeat(10_000)],
    ["the last of two fields with the same name", 'first","body":"last', "last"],
  ])("accepts %s", async (_what, written, body) => {
    const headers = { "Content-Type": "application/json" };
    const answer = await (await service.as())("POST", "/posts", `{"title":"A title","body":"${written}"}`, { headers });
    expect(answer).toMatchObject({ status: 201, body: { body } });
  });
});

it(sentence("Two identical requests publish two posts."), async () => {
  const ada = await service.as();
  for (const count of [1, 2]) {
    expect(await ada("POST", "/posts", POST)).toMatchObject({ status: 201, body: POST });
    expect(await rowsOf(ada.userId)).toBe(count);
  }
});

it(`POST /posts with an Idempotency-Key: ${sentence("Nothing is done twice, even if the resource has been deleted since.")}`, async () => {
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

it(sentence("Every user can read it as soon as you get the response."), async () => {
  const { post, path, etag } = await publish(await service.as());
  const read = await (await service.as())("GET", path);
  expect([read.body, read.headers.get("etag")]).toEqual([post, etag]);
});

const revise = (author: Client, path: string, change: unknown, ifMatch?: string) =>
  author("PATCH", path, change, ifMatch === undefined ? {} : { headers: { "If-Match": ifMatch } });

describe("PATCH /posts/{post_id}", () => {
  const REPLACES = sentence("Replaces the fields that you send and leaves the others as they are.");
  it(`${REPLACES} updated_at: ${sentence("Equal to `created_at` if it was never changed.")}`, async () => {
    const ada = await service.as();
    const { post, path } = await publish(ada);
    expect(post.updated_at).toBe(post.created_at);
    for (const change of [{ title: "New" }, { body: "New, too" }]) {
      const { body: before } = await ada("GET", path);
      const { body } = await revise(ada, path, change);
      expect(body).toEqual({ ...before, ...change, updated_at: body.updated_at });
      expect(body.updated_at > post.created_at).toBe(true);
    }
  });

  it(
    sentence("Sending the values that the post already has returns 200 and changes nothing, not even `updated_at`."),
    async () => {
      const ada = await service.as();
      const { post, path, etag } = await publish(ada);
      const again = await revise(ada, path, { title: post.title, body: post.body });
      expect([again.status, again.body, again.headers.get("etag")]).toEqual([200, post, etag]);
    },
  );

  it("never decreases updated_at, even if a change that began earlier is stored later", async () => {
    const ada = await service.as();
    const { post, path } = await publish(ada);
    await using holder = await hold(service.databaseUrl, "SELECT 1 FROM posts WHERE id = $1::uuid FOR UPDATE", [post.id]);
    const waiting = revise(ada, path, { title: "Begun first" });
    await holder.blocks(1);
    const later = new Date(Date.now() + 60_000);
    await holder.query("UPDATE posts SET updated_at = $2 WHERE id = $1::uuid", [post.id, later]);
    await holder.query("COMMIT");
    expect(await waiting).toMatchObject({ status: 200, body: { title: "Begun first", updated_at: later.toISOString() } });
  });
});

describe("PATCH /posts/{post_id} with If-Match", () => {
  const CHANGED = "The post has changed since you read it. Read it again, then retry your change.";
  const MALFORMED = "If-Match is not a list of entity tags. Send the ETag of the post exactly as you received it.";
  const WEAK = "If-Match has a weak entity tag, which matches no version. Send the ETag of the post exactly as you received it.";
  const NONE = sentence("A weak tag or a malformed value matches none, so you get 412.");
  it.each([
    ["another ETag", () => '"other"', CHANGED],
    ["another ETag and a weak one", () => 'W/"weak", "other"', CHANGED],
    ["the ETag as a weak ETag", (etag: string) => `W/${etag}`, WEAK],
    ["the ETag without its quotes", (etag: string) => etag.slice(1, -1), MALFORMED],
    ["a cut ETag", (etag: string) => etag.slice(0, -1), MALFORMED],
    ["garbage", () => "garbage", MALFORMED],
    ["an empty value", () => "", MALFORMED],
    ["an empty list", () => ", ,", MALFORMED],
  ])(`${NONE} %s returns 412 with the reason, and changes nothing`, async (_what, header, detail) => {
    const ada = await service.as();
    const { post, path, etag } = await publish(ada);
    const { status, body } = await revise(ada, path, { title: "Another title" }, header(etag));
    expect({ status, code: body.code, detail: body.detail }).toEqual({ status: 412, code: "precondition_failed", detail });
    expect(body.errors).toEqual(detail === CHANGED ? undefined : [{ in: "header", pointer: "/if-match", code: "form", detail }]);
    expect((await ada("GET", path)).body).toEqual(post);
  });

  it("loses none of ten concurrent changes if each client reads the post again after a 412", async () => {
    const ada = await service.as();
    const { path } = await publish(ada, { body: "begun" });
    let refusals = 0;
    await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        for (;;) {
          const read = await ada("GET", path);
          const { status } = await revise(ada, path, { body: `${read.body.body} ${index}` }, read.headers.get("etag")!);
          if (status === 200) return;
          expect(status).toBe(412);
          refusals++;
        }
      }),
    );
    const words = ((await ada("GET", path)).body.body as string).split(" ").slice(1);
    expect(words.map(Number).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(refusals).toBeGreaterThan(0);
  });

  const RETRY = "If you retry with `If-Match` after losing the response, you can get 412 because the first request succeeded.";
  it(sentence(RETRY), async () => {
    const ada = await service.as();
    const { path, etag } = await publish(ada);
    for (const status of [200, 412]) expect((await revise(ada, path, { title: "New" }, etag)).status).toBe(status);
  });

  it(sentence("Without `If-Match`, the last write wins."), async () => {
    const ada = await service.as();
    const { path } = await publish(ada);
    const answers = await Promise.all([{ title: "One" }, { title: "Two" }].map((it) => revise(ada, path, it)));
    expect(answers.map((it) => it.status)).toEqual([200, 200]);
    await revise(ada, path, { title: "Three" });
    expect((await ada("GET", path)).body.title).toBe("Three");
  });
});

it(`${sentence("Send the `ETag` of the version you read as `If-Match` to delete only that version")}, also beside a change`, async () => {
  const ada = await service.as();
  for (let round = 0; round < 10; round++) {
    const { path, etag } = await publish(ada);
    const headers = { "If-Match": etag };
    const [changed, deleted] = await Promise.all([
      ada("PATCH", path, { title: "Another" }, { headers }),
      ada("DELETE", path, undefined, { headers }),
    ]);
    expect([
      [200, 412],
      [404, 204],
    ]).toContainEqual([changed.status, deleted.status]);
  }
});
