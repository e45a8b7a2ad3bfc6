import { describe, expect, it } from "@jest/globals";
import type { Client } from "../support/client.ts";
import { hold } from "../support/locks.ts";
import { publish } from "../support/posts.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

const revise = (author: Client, path: string, change: unknown, ifMatch?: string) =>
  author("PATCH", path, change, ifMatch === undefined ? {} : { headers: { "If-Match": ifMatch } });

describe("PATCH /posts/{post_id}", () => {
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
  it.each([
    ["the ETag", (etag: string) => etag],
    ["a list with the ETag", (etag: string) => `"other", ${etag}`],
    ["*", () => "*"],
  ])("returns 200 for %s", async (_what, header) => {
    const ada = await service.as();
    const { path, etag } = await publish(ada);
    expect(await revise(ada, path, { title: "Another title" }, header(etag))).toMatchObject({
      status: 200,
      body: { title: "Another title" },
    });
  });

  const CHANGED = "The post has changed since you read it. Read it again, then retry your change.";
  const MALFORMED = "If-Match is not a list of entity tags. Send the ETag of the post exactly as you received it.";
  const WEAK = "If-Match has a weak entity tag, which matches no version. Send the ETag of the post exactly as you received it.";
  it.each([
    ["another ETag", () => '"other"', CHANGED],
    ["another ETag and a weak one", () => 'W/"weak", "other"', CHANGED],
    ["the ETag as a weak ETag", (etag: string) => `W/${etag}`, WEAK],
    ["the ETag without its quotes", (etag: string) => etag.slice(1, -1), MALFORMED],
    ["a cut ETag", (etag: string) => etag.slice(0, -1), MALFORMED],
    ["garbage", () => "garbage", MALFORMED],
    ["an empty value", () => "", MALFORMED],
    ["an empty list", () => ", ,", MALFORMED],
  ])("returns 412 precondition_failed for %s with the reason, and changes nothing", async (_what, header, detail) => {
    const ada = await service.as();
    const { post, path, etag } = await publish(ada);
    const { status, body } = await revise(ada, path, { title: "Another title" }, header(etag));
    expect({ status, code: body.code, detail: body.detail }).toEqual({ status: 412, code: "precondition_failed", detail });
    expect(body.errors).toEqual(detail === CHANGED ? undefined : [{ in: "header", pointer: "/if-match", code: "form", detail }]);
    expect((await ada("GET", path)).body).toEqual(post);
  });

  it("returns 200 for one of two concurrent changes with the same ETag, and 412 for the other", async () => {
    const ada = await service.as();
    for (let round = 0; round < 20; round++) {
      const { path, etag } = await publish(ada);
      const changes = [{ title: "One" }, { title: "Two" }];
      const answers = await Promise.all(changes.map((it) => revise(ada, path, it, etag)));
      expect(answers.map((it) => it.status).sort()).toEqual([200, 412]);
      expect((await ada("GET", path)).body).toMatchObject(changes[answers.findIndex((it) => it.status === 200)]!);
    }
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

  it("accepts both of two concurrent changes without If-Match", async () => {
    const ada = await service.as();
    const { path } = await publish(ada);
    const answers = await Promise.all([{ title: "One" }, { title: "Two" }].map((it) => revise(ada, path, it)));
    expect(answers.map((it) => it.status)).toEqual([200, 200]);
  });
});
