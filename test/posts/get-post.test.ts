import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { publish } from "../support/posts.ts";
import { startTestService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ ROLE: "api" });
});
afterAll(() => service.close());

it("GET /posts/{post_id} returns 200 with the post and its ETag to the author and to other users", async () => {
  const ada = await service.as();
  const { post, path, etag } = await publish(ada);
  for (const reader of [ada, await service.as()]) {
    const read = await reader("GET", path);
    expect(read).toMatchObject({ status: 200, body: post });
    expect(read.headers.get("etag")).toBe(etag);
  }
});
