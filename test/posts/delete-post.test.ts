import { randomUUIDv7 } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { refusesLikeEveryArea } from "../support/common-refusals.ts";
import { publish } from "../support/posts.ts";
import { startTestService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ ROLE: "api" });
});
afterAll(() => service.close());

describe("DELETE /posts/{post_id}", () => {
  it("returns 204, and no user can read or list the post any more", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const { path } = await publish(ada);
    expect(await ada("DELETE", path)).toMatchObject({ status: 204, text: "" });
    for (const reader of [ada, yuki])
      expect(await reader("GET", path)).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect((await yuki("GET", `/posts?author=${ada.userId}&offset=0`)).body).toMatchObject({ data: [], page: { total: 0 } });
  });

  it("returns 404 for a later DELETE or PATCH, by any user", async () => {
    const ada = await service.as();
    const { path } = await publish(ada);
    expect(await ada("DELETE", path)).toMatchObject({ status: 204 });
    expect(await ada("DELETE", path)).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect(await ada("PATCH", path, { title: "x" })).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect(await (await service.as())("DELETE", path)).toMatchObject({ status: 404, body: { code: "not_found" } });
  });

  it("returns 204 for one of five concurrent requests and 404 for the others", async () => {
    const ada = await service.as();
    const { path } = await publish(ada);
    const answers = await Promise.all(Array.from({ length: 5 }, () => ada("DELETE", path)));
    expect(answers.map((it) => it.status).sort()).toEqual([204, 404, 404, 404, 404]);
  });

  it("returns 403 not_the_author to other users, and keeps the post", async () => {
    const ada = await service.as();
    const { post, path, etag } = await publish(ada);
    const mallory = await service.as();
    for (const headers of [{}, { "If-Match": etag }])
      expect(await mallory("DELETE", path, undefined, { headers })).toMatchObject({
        status: 403,
        body: { code: "not_the_author" },
      });
    expect(await ada("GET", path)).toMatchObject({ status: 200, body: post });
  });

  it("returns 412 for the ETag from before a change, and 204 for the current ETag", async () => {
    const ada = await service.as();
    const { path, etag } = await publish(ada);
    const changed = await ada("PATCH", path, { title: "Another title" });
    expect(await ada("DELETE", path, undefined, { headers: { "If-Match": etag } })).toMatchObject({
      status: 412,
      body: { code: "precondition_failed" },
    });
    expect(await ada("GET", path)).toMatchObject({ status: 200 });
    expect(await ada("DELETE", path, undefined, { headers: { "If-Match": changed.headers.get("etag")! } })).toMatchObject({
      status: 204,
    });
  });

  it.each(["*", "garbage", ""])("evaluates If-Match: %s, of which only * matches", async (header) => {
    const ada = await service.as();
    const { path } = await publish(ada);
    expect(await ada("DELETE", path, undefined, { headers: { "If-Match": header } })).toMatchObject({
      status: header === "*" ? 204 : 412,
    });
  });

  it("accepts only one of a concurrent change and deletion with the same ETag", async () => {
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

  it("returns 404 for an unknown id, and 400 for an invalid id", async () => {
    const ada = await service.as();
    expect(await ada("DELETE", `/posts/${randomUUIDv7()}`)).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect(await ada("DELETE", "/posts/1")).toMatchObject({ status: 400, body: { code: "validation_failed" } });
  });
});

refusesLikeEveryArea(() => service, {
  method: "DELETE",
  path: `/posts/${randomUUIDv7()}`,
  scope: "posts:write",
  wrongMethod: "PUT",
  allow: "GET, HEAD, PATCH, DELETE, OPTIONS",
});
