import { describe, expect, it } from "@jest/globals";
import { publish } from "../support/posts.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

describe("DELETE /posts/{post_id}", () => {
  it("returns 204 for one of five concurrent requests and 404 for the others", async () => {
    const ada = await service.as();
    const { path } = await publish(ada);
    const answers = await Promise.all(Array.from({ length: 5 }, () => ada("DELETE", path)));
    expect(answers.map((it) => it.status).sort()).toEqual([204, 404, 404, 404, 404]);
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
});
