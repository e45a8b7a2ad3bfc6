import { expect } from "@jest/globals";
import type { Answer, Body } from "../../support/client.ts";
import { openConversation, send, sendMany, walk } from "../../support/conversations.ts";
import { ids, publish } from "../../support/posts.ts";
import { outcome, UNKNOWN, type Claims, type Fixture } from "./claim.ts";

/** An author with this many posts, and their ids, oldest first. */
async function authorOf({ as }: Fixture, count: number) {
  const author = await as();
  const posts: { id: string; path: string }[] = [];
  for (let n = 0; n < count; n++) {
    const { post, path } = await publish(author);
    posts.push({ id: post.id, path });
  }
  return { author, posts, list: `/posts?author=${author.userId}` };
}

async function chat({ as }: Fixture, count: number) {
  const [owner, member] = [await as(), await as()];
  const conversation = await openConversation(owner, [member]);
  return { owner, member, conversation, sent: await sendMany(owner, conversation, count) };
}

const sequences = ({ data }: Body): number[] => data.map((it: Body) => it.sequence);

export const lists: Claims = {
  'You can also follow the `Link` header with `rel="next"` (RFC 8288).': async (fixture) => {
    const { author, posts, list } = await authorOf(fixture, 3);
    const found: string[] = [];
    for (let path: string | undefined = `${list}&limit=1`; path !== undefined;) {
      const page: Answer = await author("GET", path);
      found.push(...ids(page.body.data));
      path = /^<([^>]+)>; rel="next"/.exec(page.headers.get("link") ?? "")?.[1];
    }
    expect(found).toEqual(posts.map((it) => it.id).reverse());
  },
  "If items are created or deleted while you page, you still get every other item exactly once.": async (fixture) => {
    const { author, posts, list } = await authorOf(fixture, 6);
    const [, first, ...rest] = posts;
    const seen: string[] = [];
    let page = await author("GET", `${list}&limit=2`);
    await author("DELETE", posts[5]!.path);
    await author("DELETE", first!.path);
    await publish(author);
    for (;;) {
      seen.push(...ids(page.body.data));
      if (page.body.page.next_cursor === null) break;
      page = await author("GET", `${list}&limit=2&after=${page.body.page.next_cursor}`);
    }
    const others = [posts[0]!, ...rest].map((it) => it.id);
    expect(seen.filter((it) => others.includes(it)).sort()).toEqual(others.sort());
  },
  "New items appear at the newest end of the list.": async (fixture) => {
    const { author, list } = await authorOf(fixture, 2);
    const { post } = await publish(author);
    expect((await author("GET", `${list}&limit=1`)).body.data[0].id).toBe(post.id);
    expect((await author("GET", `${list}&sort=created_at`)).body.data[2].id).toBe(post.id);
  },
  "You can change `limit` from page to page.": async (fixture) => {
    const { author, posts, list } = await authorOf(fixture, 4);
    const cursor = (await author("GET", `${list}&limit=1`)).body.page.next_cursor;
    const { data } = (await author("GET", `${list}&limit=3&after=${cursor}`)).body;
    expect(ids(data)).toEqual(
      posts
        .slice(0, 3)
        .map((it) => it.id)
        .reverse(),
    );
  },
  "A cursor doesn't expire and grants no access.": async ({ as }) => {
    const [owner, other] = [await as(), await as()];
    for (let n = 0; n < 2; n++) await owner("POST", "/urls", { target_url: "https://example.com/" });
    const cursor = (await owner("GET", "/urls?limit=1")).body.page.next_cursor;
    expect((await other("GET", `/urls?after=${cursor}`)).body.data).toEqual([]);
  },
  "`GET /posts` also accepts `offset` (0 to 10 000) and then returns the `total`.": async (fixture) => {
    const { author, posts, list } = await authorOf(fixture, 3);
    const { data, page } = (await author("GET", `${list}&offset=1&limit=1`)).body;
    expect([ids(data), page.offset, page.total]).toEqual([[posts[1]!.id], 1, 3]);
    expect(outcome(await author("GET", `${list}&offset=10000`))).toBe("200");
    expect(outcome(await author("GET", `${list}&offset=10001`))).toBe("400 validation_failed");
  },
  "Sending both `offset` and `after` returns 400 `conflicting_parameters`.": async (fixture) => {
    const { author, list } = await authorOf(fixture, 2);
    const cursor = (await author("GET", `${list}&limit=1`)).body.page.next_cursor;
    expect(outcome(await author("GET", `${list}&offset=1&after=${cursor}`))).toBe("400 conflicting_parameters");
  },
  "so you can start a list by offset and continue it by cursor.": async (fixture) => {
    const { author, posts, list } = await authorOf(fixture, 4);
    const { page } = (await author("GET", `${list}&offset=1&limit=1`)).body;
    expect(ids((await author("GET", `${list}&after=${page.next_cursor}`)).body.data)).toEqual([posts[1]!.id, posts[0]!.id]);
  },
  "Send a `next_cursor` as `before` to get older messages, and a `prev_cursor` as `after` to get newer ones.": async (
    fixture,
  ) => {
    const { owner, conversation } = await chat(fixture, 5);
    const { page } = (await owner("GET", `${conversation.messages}?limit=2`)).body;
    const older = (await owner("GET", `${conversation.messages}?limit=2&before=${page.next_cursor}`)).body;
    expect(sequences(older)).toEqual([3, 2]);
    const newer = await owner("GET", `${conversation.messages}?after=${older.page.prev_cursor}`);
    expect(sequences(newer.body)).toEqual([5, 4]);
  },
  "`prev_cursor` is always present, so you can keep asking for new messages; `has_newer` tells whether there are any yet.":
    async (fixture) => {
      const { owner, conversation } = await chat(fixture, 0);
      const empty = (await owner("GET", conversation.messages)).body;
      expect([empty.data, empty.page.has_newer]).toEqual([[], false]);
      await sendMany(owner, conversation, 3);
      const next = (await owner("GET", `${conversation.messages}?limit=2&after=${empty.page.prev_cursor}`)).body;
      expect([sequences(next), next.page.has_newer]).toEqual([[2, 1], true]);
      const last = (await owner("GET", `${conversation.messages}?limit=2&after=${next.page.prev_cursor}`)).body;
      expect([sequences(last), last.page.has_newer]).toEqual([[3], false]);
    },
  "Sending both `before` and `after` returns 400 `conflicting_parameters`.": async (fixture) => {
    const { owner, conversation } = await chat(fixture, 2);
    const { page } = (await owner("GET", `${conversation.messages}?limit=1`)).body;
    const path = `${conversation.messages}?before=${page.next_cursor}&after=${page.prev_cursor}`;
    expect(outcome(await owner("GET", path))).toBe("400 conflicting_parameters");
  },
  'Ordered by `sequence`. The order never changes. `Link` with `rel="next"` leads to older messages in both directions.': async (
    fixture,
  ) => {
    const { owner, conversation } = await chat(fixture, 5);
    expect(sequences({ data: await walk(owner, `${conversation.messages}?limit=2`, "before") })).toEqual([5, 4, 3, 2, 1]);
    const oldest = (await owner("GET", `${conversation.messages}?limit=3`)).body.page.next_cursor;
    const { prev_cursor } = (await owner("GET", `${conversation.messages}?limit=2&before=${oldest}`)).body.page;
    const forward = await owner("GET", `${conversation.messages}?limit=2&after=${prev_cursor}`);
    expect(sequences(forward.body)).toEqual([4, 3]);
    const next = /^<([^>]+)>; rel="next"/.exec(forward.headers.get("link")!)![1]!;
    expect(sequences((await owner("GET", next)).body)).toEqual([2, 1]);
  },
  "`limit` is 1 to 100 and 20 by default. A value out of range returns 400.": async ({ as }) => {
    const user = await as();
    expect((await user("GET", "/posts")).body.page.limit).toBe(20);
    for (const limit of [0, 101]) expect(outcome(await user("GET", `/posts?limit=${limit}`))).toBe("400 validation_failed");
    for (const limit of [1, 100]) expect((await user("GET", `/posts?limit=${limit}`)).body.page.limit).toBe(limit);
  },
  "The default is `sort=-created_at`, newest first; `sort=created_at` is oldest first.": async (fixture) => {
    const { author, posts, list } = await authorOf(fixture, 3);
    const oldestFirst = posts.map((it) => it.id);
    expect(ids((await author("GET", `${list}&sort=created_at`)).body.data)).toEqual(oldestFirst);
    for (const sort of ["", "&sort=-created_at"])
      expect(ids((await author("GET", `${list}${sort}`)).body.data)).toEqual(oldestFirst.toReversed());
  },
  "Members are listed in the order in which they joined, messages by `sequence`.": async ({ as }) => {
    const people = [await as(), await as(), await as()];
    const [owner, first, second] = people;
    const conversation = await openConversation(owner!, [first!]);
    await owner!("PUT", `${conversation.members}/${second!.userId}`);
    const { data } = (await owner!("GET", conversation.members)).body;
    expect(data.map((it: Body) => it.user_id)).toEqual(people.map((it) => it.userId));
  },
  "Several filters are combined with *and*.": async ({ as }) => {
    const [user, other] = [await as(), await as()];
    const conversation = await openConversation(other, [user]);
    await send(other, conversation, "Hello");
    const { data } = (await user("GET", "/notifications?status=unread&kind=message.created")).body;
    expect(data.map((it: Body) => it.kind)).toEqual(["message.created"]);
    expect((await user("GET", "/notifications?status=read&kind=message.created")).body.data).toEqual([]);
  },
  "A cursor keeps working after the post at its position is deleted.": async (fixture) => {
    const { author, posts, list } = await authorOf(fixture, 3);
    const cursor = (await author("GET", `${list}&limit=1`)).body.page.next_cursor;
    await author("DELETE", posts[2]!.path);
    expect(ids((await author("GET", `${list}&after=${cursor}`)).body.data)).toEqual([posts[1]!.id, posts[0]!.id]);
  },
  "Beyond the last post, the page is empty.": async (fixture) => {
    const { author, list } = await authorOf(fixture, 1);
    expect((await author("GET", `${list}&offset=5`)).body).toMatchObject({ data: [], page: { total: 1, next_cursor: null } });
  },
  "If the user has no posts or doesn't exist, the list is empty.": async ({ as }) => {
    const user = await as();
    for (const author of [user.userId, UNKNOWN]) expect((await user("GET", `/posts?author=${author}`)).body.data).toEqual([]);
  },
};
