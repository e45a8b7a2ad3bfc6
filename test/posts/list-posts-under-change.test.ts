import { describe, expect, it } from "@jest/globals";
import type { Client } from "../support/client.ts";
import { walk } from "../support/conversations.ts";
import { ids, insertPosts, publish } from "../support/posts.ts";
import { seededRandom } from "../support/seed.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

const STABLE = 1_000;
const INSTANT = new Date("2026-06-01T12:00:00.000Z");

describe("GET /posts while other users create and delete posts", () => {
  it.each(["-created_at", "created_at"])("returns 1,000 posts of the same instant exactly once, sorted by %s", async (sort) => {
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
