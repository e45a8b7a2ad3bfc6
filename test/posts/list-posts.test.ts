import { describe, expect, it } from "@jest/globals";
import { insertPosts } from "../support/posts.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

const PAST = new Date("2026-01-01T00:00:00.000Z");

/** A new author with `count` posts, and the path of the list of them. */
async function authored(count: number, createdAt = PAST) {
  const ada = await service.as();
  return { ada, created: await insertPosts(service, ada.userId, count, createdAt), path: `/posts?author=${ada.userId}` };
}

describe("GET /posts by cursor", () => {
  it("accepts a cursor with and without the default sort parameter", async () => {
    const { ada, path } = await authored(5);
    const [named, unnamed] = [await ada("GET", `${path}&limit=2&sort=-created_at`), await ada("GET", `${path}&limit=2`)];
    expect(unnamed.body).toEqual(named.body);
    expect((await ada("GET", `${path}&after=${named.body.page.next_cursor}`)).status).toBe(200);
  });
});

describe("GET /posts by offset", () => {
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
});

describe("GET /posts with invalid parameters", () => {
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
