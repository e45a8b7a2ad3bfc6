import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { BAD_LIMITS } from "../support/common-refusals.ts";
import { openConversation, send, tampered, walk } from "../support/conversations.ts";
import type { Answer, Client } from "../support/client.ts";
import { startTestService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const ids = (items: readonly { id: string }[]) => items.map((it) => it.id);

/** Creates `count` conversations of one owner, oldest first. */
async function openMany(owner: Client, count: number): Promise<string[]> {
  const opened: string[] = [];
  for (let index = 0; index < count; index++) opened.push((await openConversation(owner, [owner], `Number ${index}`)).id);
  return opened;
}

describe("GET /conversations", () => {
  it("returns 200 with all conversations of the caller and no others, newest first", async () => {
    const [ada, yuki, tom] = [await service.as(), await service.as(), await service.as()];
    const [own, shared] = [await openConversation(ada, [tom]), await openConversation(yuki, [ada], "Doors")];
    await openConversation(yuki, [tom]);
    await send(ada, shared, "Thursday?");
    const { status, body } = await ada("GET", "/conversations");
    expect(status).toBe(200);
    expect(ids(body.data)).toEqual([shared.id, own.id]);
    expect(body.data[0]).toEqual((await ada("GET", shared.path)).body);
    expect(body.page).toEqual({ limit: 20, next_cursor: null });
  });

  it("returns an empty page to a user without conversations", async () => {
    expect(await (await service.as())("GET", "/conversations")).toMatchObject({
      status: 200,
      body: { data: [], page: { limit: 20, next_cursor: null } },
    });
  });

  it("no longer lists a conversation after the user is removed from it", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki]);
    await ada("DELETE", `${conversation.members}/${yuki.userId}`);
    expect((await yuki("GET", "/conversations")).body.data).toEqual([]);
    expect(ids((await ada("GET", "/conversations")).body.data)).toEqual([conversation.id]);
  });

  it("pages through each conversation exactly once in both orders, by next_cursor and by Link", async () => {
    const ada = await service.as();
    const opened = await openMany(ada, 7);
    expect(ids(await walk(ada, "/conversations?sort=created_at&limit=3"))).toEqual(opened);
    expect(ids(await walk(ada, "/conversations?limit=2"))).toEqual(opened.toReversed());
    const followed: string[] = [];
    for (let path: string | undefined = "/conversations?limit=3"; path !== undefined;) {
      const page: Answer = await ada("GET", path);
      followed.push(...ids(page.body.data));
      path = /^<([^>]+)>; rel="next"$/.exec(page.headers.get("link") ?? "")?.[1];
    }
    expect(followed).toEqual(opened.toReversed());
  });

  it("pages through conversations with the same created_at exactly once", async () => {
    const ada = await service.as();
    const opened = await openMany(ada, 9);
    await service.db.$executeRaw`
      WITH instant AS (UPDATE conversations SET created_at = now() WHERE created_by = ${ada.userId}::uuid RETURNING id, created_at)
      UPDATE members SET conversation_created_at = instant.created_at FROM instant WHERE conversation_id = instant.id`;
    expect(ids(await walk(ada, "/conversations?limit=2"))).toEqual(opened.toSorted().toReversed());
    expect(ids(await walk(ada, "/conversations?limit=2&sort=created_at"))).toEqual(opened.toSorted());
  });

  it("lists a conversation at the place of its creation, whenever the user has joined it", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const opened = await openMany(ada, 3);
    for (const id of opened.toReversed()) await ada("PUT", `/conversations/${id}/members/${yuki.userId}`);
    expect(ids(await walk(yuki, "/conversations?limit=1"))).toEqual(opened.toReversed());
    expect(ids(await walk(yuki, "/conversations?limit=1&sort=created_at"))).toEqual(opened);
  });

  it("lists each conversation once while others are created and left between two pages with different limits", async () => {
    const ada = await service.as();
    const opened = await openMany(ada, 8);
    const first = await ada("GET", "/conversations?limit=3");
    await openMany(ada, 2);
    // Removes the last conversation of the first page. The cursor contains its position, and stays valid.
    await ada("DELETE", `/conversations/${opened[5]}/members/${ada.userId}`);
    const rest = await ada("GET", `/conversations?limit=100&after=${first.body.page.next_cursor}`);
    expect(ids([...first.body.data, ...rest.body.data])).toEqual(opened.toReversed());
    expect(rest.body.page.next_cursor).toBeNull();
  });

  it.each(BAD_LIMITS)("returns 400 for limit=%s", async (limit) => {
    expect(await (await service.as())("GET", `/conversations?limit=${limit}`)).toMatchObject({
      status: 400,
      body: {
        code: "validation_failed",
        errors: expect.arrayContaining([expect.objectContaining({ in: "query", pointer: "/limit" })]),
      },
    });
  });

  it("accepts limit=1 and limit=100", async () => {
    const ada = await service.as();
    for (const limit of [1, 100])
      expect(await ada("GET", `/conversations?limit=${limit}`)).toMatchObject({ status: 200, body: { page: { limit } } });
  });

  it.each([
    "sort=created",
    "sort=-created_at,id",
    "sort=",
    "sort=title",
    "sort=created_at&sort=-created_at",
    "foo=1",
    "before=x",
    "after=",
  ])("returns 400 for ?%s", async (query) => {
    expect(await (await service.as())("GET", `/conversations?${query}`)).toMatchObject({
      status: 400,
      body: { code: "validation_failed" },
    });
  });

  it("returns 400 invalid_cursor for a changed cursor and for a cursor of another order or list", async () => {
    const ada = await service.as();
    await openMany(ada, 2);
    const conversation = await openConversation(ada, [ada, await service.as()]);
    const cursor: string = (await ada("GET", "/conversations?limit=1")).body.page.next_cursor;
    const ofMembers: string = (await ada("GET", `${conversation.members}?limit=1`)).body.page.next_cursor;
    for (const query of [
      `after=${tampered(cursor)}`,
      `after=${cursor}A`,
      `after=${cursor.slice(0, -4)}`,
      `after=${cursor}&sort=created_at`,
      `after=${ofMembers}`,
      "after=AAAA",
      `after=${conversation.id}`,
    ]) {
      expect({ query, answer: await ada("GET", `/conversations?${query}`) }).toMatchObject({
        query,
        answer: { status: 400, body: { code: "invalid_cursor" } },
      });
    }
    expect(await ada("GET", `/conversations?after=${"A".repeat(600)}`)).toMatchObject({
      status: 400,
      body: { code: "validation_failed" },
    });
  });
});
