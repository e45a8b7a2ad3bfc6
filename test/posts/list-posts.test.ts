import { randomUUIDv7 } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Answer } from "../support/client.ts";
import { BAD_LIMITS, refusesLikeEveryArea } from "../support/common-refusals.ts";
import { tampered, walk } from "../support/conversations.ts";
import { ids, insertPosts, publish } from "../support/posts.ts";
import { startTestService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ ROLE: "api" });
});
afterAll(() => service.close());

const PAST = new Date("2026-01-01T00:00:00.000Z");

/** A new author with `count` posts, and the path of the list of them. */
async function authored(count: number, createdAt = PAST) {
  const ada = await service.as();
  return { ada, created: await insertPosts(service, ada.userId, count, createdAt), path: `/posts?author=${ada.userId}` };
}

describe("GET /posts by cursor", () => {
  it("returns 200 with the posts of all users, newest first, without parameters", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const [first, second] = [await publish(ada), await publish(yuki)];
    const list = await (await service.as())("GET", "/posts");
    expect(list).toMatchObject({ status: 200, body: { page: { limit: 20, offset: null, total: null } } });
    expect(list.body.data.slice(0, 2)).toEqual([second.post, first.post]);
  });

  it.each(["-created_at", "created_at"])("returns 100 posts of the same instant exactly once, sorted by %s", async (sort) => {
    const { ada, created, path } = await authored(100);
    const walked = ids(await walk(ada, `${path}&limit=7&sort=${sort}`));
    expect(walked).toEqual(sort === "created_at" ? created : created.toReversed());
  });

  it("filters by author, and returns an empty page for an unknown author", async () => {
    const { ada, created, path } = await authored(3);
    await publish(await service.as());
    expect(ids((await ada("GET", path)).body.data)).toEqual(created.toReversed());
    expect(await ada("GET", `/posts?author=${randomUUIDv7()}`)).toMatchObject({
      status: 200,
      body: { data: [], page: { next_cursor: null } },
    });
  });

  it("repeats no post when newer posts are created between two pages", async () => {
    const { ada, created, path } = await authored(20);
    const walked = ids(await walk(ada, `${path}&limit=3`, "after", async () => void (await publish(ada))));
    expect(walked).toEqual(created.toReversed());
  });

  it("continues after the post at the cursor is deleted", async () => {
    const { ada, created, path } = await authored(6);
    const first = await ada("GET", `${path}&limit=2`);
    await ada("DELETE", `/posts/${ids(first.body.data).at(-1)}`);
    expect(ids((await ada("GET", `${path}&after=${first.body.page.next_cursor}`)).body.data)).toEqual(
      created.toReversed().slice(2),
    );
  });

  it("accepts another limit for the next page", async () => {
    const { ada, created, path } = await authored(10);
    const first = await ada("GET", `${path}&limit=1`);
    const rest = await ada("GET", `${path}&limit=100&after=${first.body.page.next_cursor}`);
    expect(ids([...first.body.data, ...rest.body.data])).toEqual(created.toReversed());
    expect(rest.body.page.next_cursor).toBeNull();
  });

  it("accepts a cursor with and without the default sort parameter", async () => {
    const { ada, path } = await authored(5);
    const [named, unnamed] = [await ada("GET", `${path}&limit=2&sort=-created_at`), await ada("GET", `${path}&limit=2`)];
    expect(unnamed.body).toEqual(named.body);
    expect((await ada("GET", `${path}&after=${named.body.page.next_cursor}`)).status).toBe(200);
  });

  it("returns a Link to the next page with the same filter, sort and limit", async () => {
    const { ada, created, path } = await authored(5);
    const seen: string[] = [];
    for (let next: string | undefined = `${path}&limit=2&sort=created_at`; next !== undefined;) {
      const page: Answer = await ada("GET", next);
      seen.push(...ids(page.body.data));
      next = /^<([^>]+)>; rel="next"$/.exec(page.headers.get("link") ?? "")?.[1];
    }
    expect(seen).toEqual(created);
  });

  it("returns the headers of GET and no body for HEAD", async () => {
    const { ada, path } = await authored(3);
    const [get, head] = [await ada("GET", `${path}&limit=2`), await ada("HEAD", `${path}&limit=2`)];
    expect(head).toMatchObject({ status: 200, text: "" });
    for (const name of ["link", "content-type", "content-length"])
      expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
  });
});

describe("GET /posts by offset", () => {
  it("skips offset posts, and returns the total", async () => {
    const { ada, created, path } = await authored(50);
    for (const offset of [0, 1, 49, 50, 51]) {
      const page = await ada("GET", `${path}&limit=10&offset=${offset}`);
      expect(page).toMatchObject({ status: 200, body: { page: { limit: 10, offset, total: 50 } } });
      expect(ids(page.body.data)).toEqual(created.toReversed().slice(offset, offset + 10));
    }
  });

  it("returns an empty page and a total of 50 for offset=10000 of 50 posts", async () => {
    const { ada, path } = await authored(50);
    expect(await ada("GET", `${path}&offset=10000`)).toMatchObject({
      status: 200,
      body: { data: [], page: { offset: 10_000, total: 50, next_cursor: null } },
    });
  });

  it("returns a total of at most 10,000, also for more posts", async () => {
    const { ada, path } = await authored(9_999);
    const total = async () => (await ada("GET", `${path}&offset=0&limit=1`)).body.page.total as number;
    expect(await total()).toBe(9_999);
    await insertPosts(service, ada.userId, 3, PAST);
    expect(await total()).toBe(10_000);
    expect((await ada("GET", `${path}&offset=10000`)).body.data).toHaveLength(2);
  });

  it("returns a next_cursor and a Link that continue the list by cursor to its end", async () => {
    const { ada, created, path } = await authored(30);
    const begun = await ada("GET", `${path}&limit=5&offset=5&sort=created_at`);
    const rest = ids(await walk(ada, `${path}&limit=5&sort=created_at&after=${begun.body.page.next_cursor}`));
    expect([...ids(begun.body.data), ...rest]).toEqual(created.slice(5));
    const link = /^<([^>]+)>/.exec(begun.headers.get("link")!)![1]!;
    expect(new URL(link, service.url).searchParams.has("offset")).toBe(false);
    expect(ids((await ada("GET", link)).body.data)).toEqual(created.slice(10, 15));
  });

  it("returns 400 conflicting_parameters for offset and after together, and names both", async () => {
    const { ada, path } = await authored(3);
    const cursor = (await ada("GET", `${path}&limit=1`)).body.page.next_cursor as string;
    for (const query of [`offset=0&after=${cursor}`, `offset=5&after=${cursor}`, "offset=0&after=x"]) {
      expect(await ada("GET", `${path}&${query}`)).toMatchObject({
        status: 400,
        body: {
          code: "conflicting_parameters",
          errors: [
            { in: "query", pointer: "/offset" },
            { in: "query", pointer: "/after" },
          ],
        },
      });
    }
  });

  it.each([
    "10001",
    "-1",
    "-0",
    "1e400",
    "1e1",
    "9e999",
    "abc",
    "",
    "1.5",
    "1.0",
    "+5",
    "%205",
    "05",
    "0x5",
    "5&offset=6",
    "9007199254740993",
    "null",
  ])("returns 400 for offset=%s", async (offset) => {
    expect(await (await service.as())("GET", `/posts?offset=${offset}`)).toMatchObject({
      status: 400,
      body: {
        code: "validation_failed",
        errors: expect.arrayContaining([expect.objectContaining({ in: "query", pointer: "/offset" })]),
      },
    });
  });
});

describe("GET /posts with invalid parameters", () => {
  it.each(BAD_LIMITS)("returns 400 for limit=%s", async (limit) => {
    expect(await (await service.as())("GET", `/posts?limit=${limit}`)).toMatchObject({
      status: 400,
      body: {
        code: "validation_failed",
        errors: expect.arrayContaining([expect.objectContaining({ in: "query", pointer: "/limit" })]),
      },
    });
  });

  it.each([
    "author=me",
    "author=",
    "author=01A1E35E-F078-759B-82A0-5D32985FB4E7",
    "author=urn:uuid:01a1e35e-f078-759b-82a0-5d32985fb4e7",
    "sort=title",
    "sort=-created_at,id",
    "sort=",
    "title=x",
    "page=2",
    "after=",
  ])("returns 400 for ?%s", async (query) => {
    expect(await (await service.as())("GET", `/posts?${query}`)).toMatchObject({
      status: 400,
      body: { code: "validation_failed" },
    });
  });

  it("returns 400 invalid_cursor for a changed cursor and for a cursor of another order, author or list", async () => {
    const { ada, path } = await authored(3);
    const { ada: yuki } = await authored(3);
    for (let url = 0; url < 2; url++) await ada("POST", "/urls", { target_url: "https://example.com/" });
    const own = (await ada("GET", `${path}&limit=1`)).body.page.next_cursor as string;
    const foreign = (await ada("GET", "/urls?limit=1")).body.page.next_cursor as string;
    for (const query of [
      `author=${ada.userId}&after=${tampered(own)}`,
      `author=${ada.userId}&sort=created_at&after=${own}`,
      `author=${yuki.userId}&after=${own}`,
      `after=${own}`,
      `author=${ada.userId}&after=${foreign}`,
      `author=${ada.userId}&after=${own}A`,
    ]) {
      expect(await ada("GET", `/posts?${query}`)).toMatchObject({ status: 400, body: { code: "invalid_cursor" } });
    }
    expect(await ada("GET", `${path}&sort=-created_at&after=${own}`)).toMatchObject({ status: 200 });
  });

  it("returns 400 invalid_cursor for up to 2,000 cursors that differ from a valid one in one character", async () => {
    const { ada, path } = await authored(2);
    const good = (await ada("GET", `${path}&limit=1`)).body.page.next_cursor as string;
    const alphabet = "ABCXYZabcxyz019_-.";
    const bad = new Set(
      [...good].flatMap((_, at) => [...alphabet].map((it) => `${good.slice(0, at)}${it}${good.slice(at + 1)}`)),
    );
    bad.delete(good);
    const statuses = new Map<string, number>();
    for (const batch of chunks([...bad].slice(0, 2_000), 20)) {
      for (const answer of await Promise.all(batch.map((it) => ada("GET", `${path}&after=${it}`)))) {
        const outcome = `${answer.status} ${answer.body.code}`;
        statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1);
      }
    }
    expect([...statuses.keys()]).toEqual(["400 invalid_cursor"]);
    expect(statuses.get("400 invalid_cursor")).toBeGreaterThan(1_500);
  });
});

const chunks = <T>(items: readonly T[], size: number) =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));

refusesLikeEveryArea(() => service, {
  method: "GET",
  path: "/posts",
  scope: "posts:read",
  wrongMethod: "DELETE",
  allow: "GET, HEAD, POST, OPTIONS",
});
