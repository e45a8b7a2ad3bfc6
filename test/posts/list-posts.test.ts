import { randomUUIDv7 } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import type { Client } from "../support/client.ts";
import { walk } from "../support/conversations.ts";
import { ids, insertPosts, publish } from "../support/posts.ts";
import { seededRandom } from "../support/seed.ts";
import { prepare } from "../support/prepare.ts";
import { problem } from "../support/problem.ts";
import { sentence } from "../support/sentence.ts";
import { startTestService } from "../support/service.ts";
import { eventually } from "../support/eventually.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

const STABLE = 1_000;
const INSTANT = new Date("2026-06-01T12:00:00.000Z");

const ONCE = sentence("If items are created or deleted while you page, you still get every other item exactly once.");
const LIMIT = sentence("You can change `limit` from page to page.");

describe("GET /posts while other users create and delete posts", () => {
  it.each(["-created_at", "created_at"])(`${ONCE} ${LIMIT} 1,000 posts of the same instant, sorted by %s`, async (sort) => {
    const random = seededRandom(`posts under change, ${sort}`);
    const [reader, others] = [await service.as(), await service.as()];
    const stable = new Set(await insertPosts(service, reader.userId, STABLE, INSTANT));
    const fleeting = await insertPosts(service, others.userId, 300, INSTANT);
    let walking = true;
    const changes = { published: 0, inserted: 0, deleted: 0 };

    /** Until the walk ends: publishes at the newest end, inserts at the instant that is being read, and deletes. */
    async function disturb(): Promise<void> {
      while (walking) {
        await publish(others);
        changes.published++;
        fleeting.push(...(await insertPosts(service, others.userId, 2, INSTANT)));
        changes.inserted += 2;
        const [doomed] = fleeting.splice(random(fleeting.length), 1);
        const answer = await others("DELETE", `/posts/${doomed}`);
        if (answer.status === 204) changes.deleted++;
      }
    }

    const disturbers = [disturb(), disturb()];
    const walked = await walkInOddSteps(reader, sort, random).finally(() => {
      walking = false;
    });
    await Promise.all(disturbers);
    const seen = walked.filter((id) => stable.has(id));
    expect(seen).toEqual(sort === "created_at" ? [...stable] : [...stable].reverse());
    expect(new Set(walked).size).toBe(walked.length);
    // Without enough changes during the walk, this test would prove nothing.
    expect(Math.min(changes.published, changes.inserted, changes.deleted)).toBeGreaterThan(10);
  });

  it("returns, oldest first, also the posts that are created before the last page is read", async () => {
    const [reader, others] = [await service.as(), await service.as()];
    const published: string[] = [];
    const path = `/posts?author=${others.userId}&sort=created_at&limit=3`;
    for (let index = 0; index < 12; index++) published.push((await publish(others)).post.id as string);
    const walked = ids(
      await walk(reader, path, "after", async () => {
        published.push((await publish(others)).post.id as string);
      }),
    );
    // The last post was published after the last page was read.
    expect(walked).toEqual(published.slice(0, -1));
    expect(walked.length).toBeGreaterThan(12);
  });
});

/** Reads the whole list in pages of varying size, and some pages twice, like a client that lost a response. */
async function walkInOddSteps(reader: Client, sort: string, random: (below: number) => number): Promise<string[]> {
  const seen: string[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const limit = 5 + random(30);
    const path: string = `/posts?sort=${sort}&limit=${limit}${cursor === "" ? "" : `&after=${cursor}`}`;
    if (random(4) === 0) await reader("GET", path);
    const page = await reader("GET", path);
    if (page.status !== 200) throw new Error(`The list was not read: ${page.text}`);
    seen.push(...ids(page.body.data));
    cursor = page.body.page.next_cursor;
  }
  return seen;
}

/** A new author with `count` posts, the ids and paths of these, newest first, and the list of them. */
async function authored(count: number) {
  const ada = await service.as();
  const posts: { id: string; path: string }[] = [];
  for (let n = 0; n < count; n++) {
    const { post, path } = await publish(ada);
    posts.unshift({ id: post.id, path });
  }
  const path = `/posts?author=${ada.userId}`;
  return { ada, posts, newest: ids(posts), path, list: async (query = "") => (await ada("GET", `${path}${query}`)).body };
}

describe("GET /posts by cursor", () => {
  const DEFAULT = sentence("The default is `sort=-created_at`, newest first; `sort=created_at` is oldest first.");
  it(`${DEFAULT} ${sentence("New items appear at the newest end of the list.")}`, async () => {
    const { ada, newest, list } = await authored(3);
    const [named, unnamed] = [await list("&limit=2&sort=-created_at"), await list("&limit=2")];
    expect(unnamed).toEqual(named);
    expect(ids([...named.data, ...(await list(`&after=${named.page.next_cursor}`)).data])).toEqual(newest);
    const { post } = await publish(ada);
    expect(ids((await list()).data)).toEqual([post.id, ...newest]);
    expect(ids((await list("&sort=created_at")).data)).toEqual([...newest.toReversed(), post.id]);
  });

  it(sentence("A cursor keeps working after the post at its position is deleted."), async () => {
    const { ada, posts, newest, list } = await authored(3);
    const { next_cursor } = (await list("&limit=1")).page;
    await ada("DELETE", posts[0]!.path);
    expect(ids((await list(`&after=${next_cursor}`)).data)).toEqual(newest.slice(1));
  });

  it(sentence("If the user has no posts or doesn't exist, the list is empty."), async () => {
    const ada = await service.as();
    for (const author of [ada.userId, randomUUIDv7()])
      expect(await ada("GET", `/posts?author=${author}`)).toMatchObject({ status: 200, body: { data: [] } });
  });
});

describe("GET /posts by offset", () => {
  const TOTAL = sentence("`GET /posts` also accepts `offset` (0 to 10 000) and then returns the `total`.");
  const CONTINUE = sentence("so you can start a list by offset and continue it by cursor.");
  it(`${TOTAL} ${sentence("Beyond the last post, the page is empty.")} ${CONTINUE}`, async () => {
    const { newest, list } = await authored(4);
    const first = await list("&offset=1&limit=1");
    expect(first).toMatchObject({ data: [{ id: newest[1] }], page: { offset: 1, total: 4 } });
    expect(ids((await list(`&after=${first.page.next_cursor}`)).data)).toEqual(newest.slice(2));
    expect(await list("&offset=10000")).toMatchObject({ data: [], page: { offset: 10_000, total: 4, next_cursor: null } });
  });

  it(sentence("Sending both `offset` and `after` returns 400 `conflicting_parameters`."), async () => {
    const { ada, path, list } = await authored(2);
    const { next_cursor } = (await list("&limit=1")).page;
    expect(await ada("GET", `${path}&offset=1&after=${next_cursor}`)).toMatchObject(problem(400, "conflicting_parameters"));
  });

  it(sentence('The count stops at 10 000, which means "10 000 or more".'), async () => {
    const { ada, list } = await authored(0);
    const counts = (count: number) =>
      eventually(`a total of ${count}`, async () => (await list("&offset=0&limit=1")).page.total === count);
    const past = new Date("2026-01-01T00:00:00.000Z");
    await insertPosts(service, ada.userId, 9_999, past);
    await counts(9_999);
    await insertPosts(service, ada.userId, 3, past);
    await counts(10_000);
    expect((await list("&offset=10000")).data).toHaveLength(2);
  });
});
