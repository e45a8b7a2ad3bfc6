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
  it("answers 200 with the posts of everybody, newest first, when nothing is asked for", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const [first, second] = [await publish(ada), await publish(yuki)];
    const list = await (await service.as())("GET", "/posts");
    expect(list).toMatchObject({ status: 200, body: { page: { limit: 20, offset: null, total: null } } });
    expect(list.body.data.slice(0, 2)).toEqual([second.post, first.post]);
  });

  it.each(["-created_at", "created_at"])("walks 100 posts of one instant exactly once, sorted %s", async (sort) => {
    const { ada, created, path } = await authored(100);
    const walked = ids(await walk(ada, `${path}&limit=7&sort=${sort}`));
    expect(walked).toEqual(sort === "created_at" ? created : created.toReversed());
  });

  it("filters by author, and takes an unknown author as one without posts", async () => {
    const { ada, created, path } = await authored(3);
    await publish(await service.as());
    expect(ids((await ada("GET", path)).body.data)).toEqual(created.toReversed());
    expect(await ada("GET", `/posts?author=${randomUUIDv7()}`)).toMatchObject({
      status: 200,
      body: { data: [], page: { next_cursor: null } },
    });
  });

  it("repeats nothing when posts are published at the head while walking", async () => {
    const { ada, created, path } = await authored(20);
    const walked = ids(await walk(ada, `${path}&limit=3`, "after", async () => void (await publish(ada))));
    expect(walked).toEqual(created.toReversed());
  });

  it("goes on after the post that the cursor was made at has been deleted", async () => {
    const { ada, created, path } = await authored(6);
    const first = await ada("GET", `${path}&limit=2`);
    await ada("DELETE", `/posts/${ids(first.body.data).at(-1)}`);
    expect(ids((await ada("GET", `${path}&after=${first.body.page.next_cursor}`)).body.data)).toEqual(
      created.toReversed().slice(2),
    );
  });

  it("takes another limit from one page to the next", async () => {
    const { ada, created, path } = await authored(10);
    const first = await ada("GET", `${path}&limit=1`);
    const rest = await ada("GET", `${path}&limit=100&after=${first.body.page.next_cursor}`);
    expect(ids([...first.body.data, ...rest.body.data])).toEqual(created.toReversed());
    expect(rest.body.page.next_cursor).toBeNull();
  });

  it("goes on whether the order that is the default is named or not", async () => {
    const { ada, path } = await authored(5);
    const [named, unnamed] = [await ada("GET", `${path}&limit=2&sort=-created_at`), await ada("GET", `${path}&limit=2`)];
    expect(unnamed.body).toEqual(named.body);
    expect((await ada("GET", `${path}&after=${named.body.page.next_cursor}`)).status).toBe(200);
  });

  it("says in Link where the next page is, with the same filter, order and size", async () => {
    const { ada, created, path } = await authored(5);
    const seen: string[] = [];
    for (let next: string | undefined = `${path}&limit=2&sort=created_at`; next !== undefined;) {
      const page: Answer = await ada("GET", next);
      seen.push(...ids(page.body.data));
      next = /^<([^>]+)>; rel="next"$/.exec(page.headers.get("link") ?? "")?.[1];
    }
    expect(seen).toEqual(created);
  });

  it("answers HEAD like GET, without the body", async () => {
    const { ada, path } = await authored(3);
    const [get, head] = [await ada("GET", `${path}&limit=2`), await ada("HEAD", `${path}&limit=2`)];
    expect(head).toMatchObject({ status: 200, text: "" });
    for (const name of ["link", "content-type", "content-length"])
      expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
  });
});

describe("GET /posts by offset", () => {
  it("answers the posts behind the first so many, and how many there are", async () => {
    const { ada, created, path } = await authored(50);
    for (const offset of [0, 1, 49, 50, 51]) {
      const page = await ada("GET", `${path}&limit=10&offset=${offset}`);
      expect(page).toMatchObject({ status: 200, body: { page: { limit: 10, offset, total: 50 } } });
      expect(ids(page.body.data)).toEqual(created.toReversed().slice(offset, offset + 10));
    }
  });

  it("answers offset=10000 with 50 posts by an empty page and the total of 50", async () => {
    const { ada, path } = await authored(50);
    expect(await ada("GET", `${path}&offset=10000`)).toMatchObject({
      status: 200,
      body: { data: [], page: { offset: 10_000, total: 50, next_cursor: null } },
    });
  });

  it("counts up to 10 000, which means that or more", async () => {
    const { ada, path } = await authored(9_999);
    const total = async () => (await ada("GET", `${path}&offset=0&limit=1`)).body.page.total as number;
    expect(await total()).toBe(9_999);
    await insertPosts(service, ada.userId, 3, PAST);
    expect(await total()).toBe(10_000);
    expect((await ada("GET", `${path}&offset=10000`)).body.data).toHaveLength(2);
  });

  it("can be continued by cursor, by next_cursor and by Link alike, to the very end", async () => {
    const { ada, created, path } = await authored(30);
    const begun = await ada("GET", `${path}&limit=5&offset=5&sort=created_at`);
    const rest = ids(await walk(ada, `${path}&limit=5&sort=created_at&after=${begun.body.page.next_cursor}`));
    expect([...ids(begun.body.data), ...rest]).toEqual(created.slice(5));
    const link = /^<([^>]+)>/.exec(begun.headers.get("link")!)![1]!;
    expect(new URL(link, service.url).searchParams.has("offset")).toBe(false);
    expect(ids((await ada("GET", link)).body.data)).toEqual(created.slice(10, 15));
  });

  it("answers 400 conflicting_parameters to offset and after together, and names both", async () => {
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
  ])("answers 400 to offset=%s", async (offset) => {
    expect(await (await service.as())("GET", `/posts?offset=${offset}`)).toMatchObject({
      status: 400,
      body: {
        code: "validation_failed",
        errors: expect.arrayContaining([expect.objectContaining({ in: "query", pointer: "/offset" })]),
      },
    });
  });
});

describe("GET /posts with parameters that are wrong", () => {
  it.each(BAD_LIMITS)("answers 400 to limit=%s", async (limit) => {
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
  ])("answers 400 to ?%s", async (query) => {
    expect(await (await service.as())("GET", `/posts?${query}`)).toMatchObject({
      status: 400,
      body: { code: "validation_failed" },
    });
  });

  it("answers 400 invalid_cursor to a cursor that was changed, or belongs to another order, author or list", async () => {
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

  it("accepts none of 2 000 cursors that differ from a good one in one character", async () => {
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
