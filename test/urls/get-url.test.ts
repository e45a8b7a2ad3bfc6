import { describe, expect, it } from "@jest/globals";
import { eventually } from "../support/eventually.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

const TARGET = "https://example.com/a";

async function shortened(extra: object = {}) {
  const ada = await service.as();
  const { body, headers } = await ada("POST", "/urls", { target_url: TARGET, ...extra });
  return { ada, url: body, path: headers.get("location")! };
}

describe("GET /urls/{id}", () => {
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
});
