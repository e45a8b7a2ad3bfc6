import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { BAD_LIMITS, refusesLikeEveryArea } from "../support/common-refusals.ts";
import type { Answer, Body, Client } from "../support/client.ts";
import { tampered, walk } from "../support/conversations.ts";
import { startTestService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ ROLE: "api" });
});
afterAll(() => service.close());

const ids = (items: readonly Body[]) => items.map((it) => it.id as string);

/** A new user with `count` short URLs: all created at `createdAt`, or one after the other through the API. */
async function withUrls(count: number, createdAt?: Date): Promise<{ ada: Client; created: string[] }> {
  const ada = await service.as();
  const prefix = ada.userId.slice(-8);
  const created = Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(4, "0")}`);
  if (createdAt !== undefined)
    await service.db.shortUrl.createMany({
      data: created.map((id) => ({ id, ownerId: ada.userId, targetUrl: "https://example.com/", createdAt })),
    });
  else for (const id of created) await ada("POST", "/urls", { target_url: "https://example.com/", id });
  return { ada, created };
}

describe("GET /urls", () => {
  it("returns 200 with the caller's short URLs, newest first, each as GET returns it", async () => {
    const { ada, created } = await withUrls(3);
    const list = await ada("GET", "/urls");
    expect(list).toMatchObject({ status: 200, body: { page: { limit: 20, next_cursor: null } } });
    expect(ids(list.body.data)).toEqual(created.toReversed());
    expect(list.headers.has("link")).toBe(false);
    expect(list.headers.get("cache-control")).toBe("no-store");
    expect(list.body.data[0]).toEqual((await ada("GET", `/urls/${created[2]}`)).body);
  });

  it("returns an empty page to a user without short URLs, even if others have some", async () => {
    await withUrls(2);
    expect(await (await service.as())("GET", "/urls")).toMatchObject({
      status: 200,
      body: { data: [], page: { next_cursor: null } },
    });
  });

  it("lists expired short URLs, but not deleted ones", async () => {
    const { ada, created } = await withUrls(3);
    await service.db.shortUrl.update({ where: { id: created[0]! }, data: { expiresAt: new Date(Date.now() - 1_000) } });
    await ada("DELETE", `/urls/${created[1]}`);
    expect(ids((await ada("GET", "/urls")).body.data)).toEqual([created[2], created[0]]);
  });

  it.each(["-created_at", "created_at"])("returns 100 URLs of the same instant exactly once, sorted by %s", async (sort) => {
    const { ada, created } = await withUrls(100, new Date("2026-01-01T00:00:00.000Z"));
    const walked = ids(await walk(ada, `/urls?limit=7&sort=${sort}`));
    expect(walked).toEqual(sort === "created_at" ? created : created.toReversed());
  });

  it("neither repeats nor skips a short URL while others are created and deleted", async () => {
    const { ada, created } = await withUrls(30, new Date("2026-01-01T00:00:00.000Z"));
    const doomed = created.filter((_, index) => index % 10 === 0);
    const walked = ids(
      await walk(ada, "/urls?limit=4", "after", async () => {
        await ada("POST", "/urls", { target_url: "https://example.com/new" });
        const id = doomed.shift();
        if (id !== undefined) await ada("DELETE", `/urls/${id}`);
      }),
    );
    const stable = created.filter((_, index) => index % 10 !== 0).reverse();
    expect(walked.filter((id) => stable.includes(id))).toEqual(stable);
    expect(new Set(walked).size).toBe(walked.length);
  });

  it("returns a Link to the next page with the same sort and limit, until the last page", async () => {
    const { ada, created } = await withUrls(5, new Date());
    const seen: string[] = [];
    for (let path: string | undefined = "/urls?limit=2&sort=created_at"; path !== undefined;) {
      const page: Answer = await ada("GET", path);
      seen.push(...ids(page.body.data));
      path = /^<([^>]+)>; rel="next"$/.exec(page.headers.get("link") ?? "")?.[1];
      expect(path === undefined).toBe(page.body.page.next_cursor === null);
      if (path !== undefined) expect(new URL(path, service.url).searchParams.get("after")).toBe(page.body.page.next_cursor);
    }
    expect(seen).toEqual(created);
  });

  it("returns a null next_cursor on a full last page", async () => {
    const { ada } = await withUrls(4, new Date());
    expect((await ada("GET", "/urls?limit=4")).body.page.next_cursor).toBeNull();
    expect((await ada("GET", "/urls?limit=3")).body.page.next_cursor).not.toBeNull();
  });

  it("accepts another limit for the next page, and a cursor whose short URL is deleted", async () => {
    const { ada, created } = await withUrls(10, new Date());
    const first = await ada("GET", "/urls?limit=3");
    await ada("DELETE", `/urls/${ids(first.body.data).at(-1)}`);
    const second = await ada("GET", `/urls?limit=100&after=${first.body.page.next_cursor}`);
    expect(ids(second.body.data)).toEqual(created.toReversed().slice(3));
  });

  it("returns the headers of GET and no body for HEAD", async () => {
    const { ada } = await withUrls(3, new Date());
    const [get, head] = [await ada("GET", "/urls?limit=2"), await ada("HEAD", "/urls?limit=2")];
    expect(head).toMatchObject({ status: 200, text: "" });
    for (const name of ["link", "content-type", "content-length", "cache-control"])
      expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
  });

  it("returns the caller's own short URLs even with another user's cursor", async () => {
    const [{ ada }, { ada: yuki, created }] = [
      await withUrls(5, new Date("2026-01-02T00:00:00.000Z")),
      await withUrls(3, new Date("2026-01-01T00:00:00.000Z")),
    ];
    const cursor = (await ada("GET", "/urls?limit=1")).body.page.next_cursor as string;
    expect(ids((await yuki("GET", `/urls?after=${cursor}`)).body.data)).toEqual(created.toReversed());
  });

  it.each(BAD_LIMITS)("returns 400 for limit=%s", async (limit) => {
    expect(await (await service.as())("GET", `/urls?limit=${limit}`)).toMatchObject({
      status: 400,
      body: {
        code: "validation_failed",
        errors: expect.arrayContaining([expect.objectContaining({ in: "query", pointer: "/limit" })]),
      },
    });
  });

  it.each(["1", "100"])("accepts limit=%s", async (limit) => {
    expect(await (await service.as())("GET", `/urls?limit=${limit}`)).toMatchObject({
      status: 200,
      body: { page: { limit: Number(limit) } },
    });
  });

  it.each([
    "sort=created",
    "sort=-created_at,id",
    "sort=",
    "sort=-created_at&sort=created_at",
    "sort=CREATED_AT",
    "foo=1",
    "status=x",
    "after=",
    "after[]=x",
    "__proto__=1",
    "a~b=1",
    "a/b=1",
    "%00=1",
  ])("returns 400 for ?%s", async (query) => {
    expect(await (await service.as())("GET", `/urls?${query}`)).toMatchObject({
      status: 400,
      body: { code: "validation_failed" },
    });
  });

  it("returns 400 invalid_cursor for a changed cursor and for a cursor of another order or list", async () => {
    const { ada } = await withUrls(3, new Date());
    for (let post = 0; post < 2; post++) await ada("POST", "/posts", { title: "A title", body: "A body" });
    const own = (await ada("GET", "/urls?limit=1")).body.page.next_cursor as string;
    const foreign = (await ada("GET", "/posts?limit=1")).body.page.next_cursor as string;
    for (const query of [
      `after=${tampered(own)}`,
      `after=${own}A`,
      `after=${own.slice(0, -1)}`,
      `after=${own}&sort=created_at`,
      `after=${foreign}`,
      "after=x",
      `after=${"A".repeat(512)}`,
    ]) {
      expect(await ada("GET", `/urls?${query}`)).toMatchObject({ status: 400, body: { code: "invalid_cursor" } });
    }
  });

  it("returns 400 for a cursor of 600 characters", async () => {
    expect(await (await service.as())("GET", `/urls?after=${"A".repeat(600)}`)).toMatchObject({
      status: 400,
      body: { code: "validation_failed", errors: [{ pointer: "/after", code: "maxLength" }] },
    });
  });
});

refusesLikeEveryArea(() => service, {
  method: "GET",
  path: "/urls",
  scope: "urls:read",
  wrongMethod: "DELETE",
  allow: "GET, HEAD, POST, OPTIONS",
});
