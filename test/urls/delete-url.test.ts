import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { refusesLikeEveryArea } from "../support/common-refusals.ts";
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

describe("DELETE /urls/{id}", () => {
  it("returns 204, and the short URL then returns 410", async () => {
    const { ada, url, path } = await shortened();
    expect(await service.anonymous()("GET", `/u/${url.id}`)).toMatchObject({ status: 302 });
    expect(await ada("DELETE", path)).toMatchObject({ status: 204, text: "" });
    for (const method of ["GET", "HEAD"])
      expect(await service.anonymous()(method, `/u/${url.id}`)).toMatchObject({ status: 410 });
    expect((await service.anonymous()("GET", `/u/${url.id}`)).body).toMatchObject({ code: "gone" });
  });

  it("returns 404 for a second DELETE and for GET, and no longer lists the short URL", async () => {
    const { ada, path } = await shortened();
    expect(await ada("DELETE", path)).toMatchObject({ status: 204 });
    expect(await ada("DELETE", path)).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect(await ada("GET", path)).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect((await ada("GET", "/urls")).body.data).toEqual([]);
  });

  it("never frees the id: returns 409 when any user requests it, even the former owner", async () => {
    const { ada, path } = await shortened({ id: "used-up-id" });
    await ada("DELETE", path);
    for (const caller of [ada, await service.as()]) {
      expect(await caller("POST", "/urls", { target_url: "https://example.com/other", id: "used-up-id" })).toMatchObject({
        status: 409,
        body: { code: "id_taken" },
      });
    }
    expect(await service.anonymous()("GET", "/u/used-up-id")).toMatchObject({ status: 410 });
  });

  it("returns 204 for one of five concurrent requests and 404 for the others", async () => {
    const { ada, path } = await shortened();
    const answers = await Promise.all(Array.from({ length: 5 }, () => ada("DELETE", path)));
    expect(answers.map((it) => it.status).sort()).toEqual([204, 404, 404, 404, 404]);
  });

  it("deletes an expired short URL", async () => {
    const { ada, url, path } = await shortened();
    await service.db.shortUrl.update({ where: { id: url.id }, data: { expiresAt: new Date(Date.now() - 1_000) } });
    expect(await ada("DELETE", path)).toMatchObject({ status: 204 });
  });

  it("returns 404 to another user, and the short URL still redirects", async () => {
    const { url, path } = await shortened();
    expect(await (await service.as())("DELETE", path)).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect(await service.anonymous()("GET", `/u/${url.id}`)).toMatchObject({ status: 302 });
  });

  it.each(["a!bc", "a", "x".repeat(65), "%E0%A4%A"])("returns 400 for the id %s", async (id) => {
    expect(await (await service.as())("DELETE", `/urls/${id}`)).toMatchObject({
      status: 400,
      body: { code: "validation_failed" },
    });
  });
});

refusesLikeEveryArea(() => service, {
  method: "DELETE",
  path: "/urls/abcd",
  scope: "urls:write",
  wrongMethod: "PUT",
  allow: "GET, HEAD, DELETE, OPTIONS",
});
