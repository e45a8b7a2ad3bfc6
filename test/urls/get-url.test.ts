import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { refusesLikeEveryArea } from "../support/common-refusals.ts";
import { eventually } from "../support/eventually.ts";
import { startTestService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ ROLE: "api" });
});
afterAll(() => service.close());

const TARGET = "https://example.com/a";

async function shortened(extra: object = {}) {
  const ada = await service.as();
  const { body, headers } = await ada("POST", "/urls", { target_url: TARGET, ...extra });
  return { ada, url: body, path: headers.get("location")! };
}

describe("GET /urls/{id}", () => {
  it("returns 200 with the current state of the short URL and its ETag", async () => {
    const { ada, url, path } = await shortened();
    const read = await ada("GET", path);
    expect(read).toMatchObject({ status: 200, body: url });
    expect(read.headers.get("etag")).toMatch(/^"[!#-~]+"$/);
    expect(read.headers.get("cache-control")).toBe("private, no-cache");
  });

  it("returns 304 without a body until something changes, and 200 with a new ETag after a click", async () => {
    const { ada, url, path } = await shortened();
    const etag = (await ada("GET", path)).headers.get("etag")!;
    const unchanged = await ada("GET", path, undefined, { headers: { "If-None-Match": etag } });
    expect(unchanged).toMatchObject({ status: 304, text: "" });
    expect(unchanged.headers.get("etag")).toBe(etag);
    await service.anonymous()("GET", `/u/${url.id}`);
    const changed = await eventually("a counted click", async () => {
      const answer = await ada("GET", path, undefined, { headers: { "If-None-Match": etag } });
      return answer.status === 200 ? answer : null;
    });
    expect(changed.body).toMatchObject({ click_count: 1 });
    expect(changed.headers.get("etag")).not.toBe(etag);
  });

  it.each([
    ["the ETag in a list", (etag: string) => `"other", ${etag}`, 304],
    ["the ETag as a weak ETag", (etag: string) => `W/${etag}`, 304],
    ["*", () => "*", 304],
    ["another ETag", () => '"other"', 200],
    ["garbage", () => "garbage", 200],
    ["a cut ETag", (etag: string) => etag.slice(0, -1), 200],
    ["the ETag without its quotes", (etag: string) => etag.slice(1, -1), 200],
    ["an empty value", () => "", 200],
  ])("compares If-None-Match with %s", async (_what, header, status) => {
    const { ada, path } = await shortened();
    const etag = (await ada("GET", path)).headers.get("etag")!;
    expect(await ada("GET", path, undefined, { headers: { "If-None-Match": header(etag) } })).toMatchObject({ status });
  });

  it("returns the headers of GET and no body for HEAD, and 304 for its ETag", async () => {
    const { ada, path } = await shortened();
    const [get, head] = [await ada("GET", path), await ada("HEAD", path)];
    expect(head).toMatchObject({ status: 200, text: "" });
    for (const name of ["etag", "cache-control", "content-type", "content-length"])
      expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
    expect(await ada("HEAD", path, undefined, { headers: { "If-None-Match": get.headers.get("etag")! } })).toMatchObject({
      status: 304,
    });
  });

  it("does not count a read as a click", async () => {
    const { ada, url, path } = await shortened();
    for (let read = 0; read < 3; read++) await ada("GET", path);
    await service.anonymous()("GET", `/u/${url.id}`);
    expect(
      await eventually("the one click", async () =>
        (await ada("GET", path)).body.click_count > 0 ? (await ada("GET", path)).body : null,
      ),
    ).toMatchObject({ click_count: 1 });
  });

  it("returns an expired short URL to its owner", async () => {
    const { ada, url, path } = await shortened();
    const expiresAt = new Date(Date.now() - 1_000);
    await service.db.shortUrl.update({ where: { id: url.id }, data: { expiresAt } });
    expect(await ada("GET", path)).toMatchObject({ status: 200, body: { expires_at: expiresAt.toISOString() } });
  });

  it("returns the same 404 for another user's id as for an unknown id, on GET, HEAD and DELETE, and changes nothing", async () => {
    const { ada, url, path } = await shortened();
    const mallory = await service.as();
    for (const method of ["GET", "HEAD", "DELETE"]) {
      const [foreign, missing] = [await mallory(method, path), await mallory(method, "/urls/NoSuchId")];
      expect(foreign).toMatchObject({ status: 404 });
      expect({ ...foreign.body, request_id: "" }).toEqual({ ...missing.body, request_id: "" });
    }
    expect(await ada("GET", path)).toMatchObject({ status: 200, body: url });
  });

  it("returns 404 for an id that differs in case", async () => {
    const { ada } = await shortened({ id: "OneCase" });
    expect(await ada("GET", "/urls/onecase")).toMatchObject({ status: 404, body: { code: "not_found" } });
  });

  it.each([
    ["an exclamation mark", "a!bc"],
    ["only one character", "a"],
    ["65 characters", "x".repeat(65)],
    ["an escaped slash", "ab%2Fcd"],
    ["an escaped NUL", "ab%00cd"],
    ["an emoji", "%F0%9F%94%97abc"],
    ["a leading hyphen", "-abc"],
    ["an invalid percent-encoding", "%E0%A4%A"],
    ["an escaped unpaired surrogate", "%ED%A0%80abc"],
  ])("returns 400 for an id with %s", async (_what, id) => {
    expect(await (await service.as())("GET", `/urls/${id}`)).toMatchObject({ status: 400, body: { code: "validation_failed" } });
  });

  it("returns 400 for a query parameter", async () => {
    const { ada, path } = await shortened();
    expect(await ada("GET", `${path}?limit=5`)).toMatchObject({
      status: 400,
      body: { errors: [{ in: "query", pointer: "/limit", code: "additionalProperties" }] },
    });
  });
});

refusesLikeEveryArea(() => service, {
  method: "GET",
  path: "/urls/abcd",
  scope: "urls:read",
  wrongMethod: "PATCH",
  allow: "GET, HEAD, DELETE, OPTIONS",
});
