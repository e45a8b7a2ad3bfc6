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

describe("GET /posts/{post_id}", () => {
  it("returns 200 with the post and its ETag to the author and to other users", async () => {
    const ada = await service.as();
    const { post, path, etag } = await publish(ada);
    for (const reader of [ada, await service.as()]) {
      const read = await reader("GET", path);
      expect(read).toMatchObject({ status: 200, body: post });
      expect(read.headers.get("etag")).toBe(etag);
      expect(read.headers.get("cache-control")).toBe("private, no-cache");
    }
  });

  it("returns 304 without a body for the current ETag, and 200 with a new ETag after a change", async () => {
    const ada = await service.as();
    const { path, etag } = await publish(ada);
    const condition = { headers: { "If-None-Match": etag } };
    expect(await ada("GET", path, undefined, condition)).toMatchObject({ status: 304, text: "" });
    await ada("PATCH", path, { title: "Another title" });
    const changed = await ada("GET", path, undefined, condition);
    expect(changed).toMatchObject({ status: 200, body: { title: "Another title" } });
    expect(changed.headers.get("etag")).not.toBe(etag);
  });

  it.each(["garbage", '"other"', "", '"', "W/"])(
    "returns 200 for the If-None-Match %s, which does not contain the ETag of the post",
    async (header) => {
      const ada = await service.as();
      const { path } = await publish(ada);
      expect(await ada("GET", path, undefined, { headers: { "If-None-Match": header } })).toMatchObject({ status: 200 });
    },
  );

  it("returns the headers of GET and no body for HEAD", async () => {
    const ada = await service.as();
    const { path } = await publish(ada);
    const [get, head] = [await ada("GET", path), await ada("HEAD", path)];
    expect(head).toMatchObject({ status: 200, text: "" });
    for (const name of ["etag", "content-type", "content-length", "cache-control"])
      expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
  });

  it("returns 404 for an unknown id", async () => {
    expect(await (await service.as())("GET", `/posts/${randomUUIDv7()}`)).toMatchObject({
      status: 404,
      body: { code: "not_found" },
    });
  });

  it.each([
    "1",
    "01A1EFAC-3ED3-7E8E-9855-DCB0C0290103",
    "01a1efac3ed37e8e9855dcb0c0290103",
    "{01a1efac-3ed3-7e8e-9855-dcb0c0290103}",
    "01a1efac-3ed3-7e8e-9855-dcb0c029010g",
    "%00",
    "%E0%A4%A",
  ])("returns 400 for the invalid id %s", async (id) => {
    expect(await (await service.as())("GET", `/posts/${id}`)).toMatchObject({ status: 400, body: { code: "validation_failed" } });
  });
});

refusesLikeEveryArea(() => service, {
  method: "GET",
  path: `/posts/${randomUUIDv7()}`,
  scope: "posts:read",
  wrongMethod: "PUT",
  allow: "GET, HEAD, PATCH, DELETE, OPTIONS",
});
