import { expect, it } from "@jest/globals";
import { publish } from "../support/posts.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

it("GET /posts/{post_id} returns 200 with the post and its ETag to the author and to other users", async () => {
  const ada = await service.as();
  const { post, path, etag } = await publish(ada);
  for (const reader of [ada, await service.as()]) {
    const read = await reader("GET", path);
    expect(read).toMatchObject({ status: 200, body: post });
    expect(read.headers.get("etag")).toBe(etag);
  }
});
