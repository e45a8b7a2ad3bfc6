import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { OperationId } from "../../src/contract/contract.ts";
import { resolve } from "../../src/contract/bundle.ts";
import type { Body, Client } from "../support/client.ts";
import { contract, declaredResponse, operations } from "../support/contract.ts";
import { openConversation, sendMany, type Conversation } from "../support/conversations.ts";
import { startTestService, type TestService } from "../support/service.ts";

const COUNT = 6;
const LIMITS = [1, 2, 3, 4, COUNT - 1, COUNT, COUNT + 1, 100];
const lists = operations.filter((it) => it.nextPageParameter !== null);

let service: TestService;
let ada: Client;
let conversation: Conversation;
beforeAll(async () => {
  service = await startTestService({ ROLE: "api" });
  ada = await service.as();
  const others = await Promise.all(Array.from({ length: COUNT - 1 }, () => service.as()));
  conversation = await openConversation(ada, others);
  await sendMany(ada, conversation, COUNT);
  for (let item = 0; item < COUNT; item++) {
    await ada("POST", "/posts", { title: `Post ${item}`, body: "x" });
    await ada("POST", "/urls", { target_url: "https://example.com/" });
    await ada("POST", "/video-uploads?name=x", Buffer.from("x"));
    // Each tells Ada once, and is a conversation more.
    await openConversation(others[0]!, [ada]);
  }
}, 60_000);
afterAll(() => service.close());

/** Each list, and how many items it has for Ada. */
const LISTS: Partial<Record<OperationId, () => readonly [path: string, count: number]>> = {
  listUrls: () => ["/urls", COUNT],
  listNotifications: () => ["/notifications", COUNT],
  listVideoUploads: () => ["/video-uploads", COUNT],
  listConversations: () => ["/conversations", COUNT + 1],
  listMembers: () => [conversation.members, COUNT],
  listMessages: () => [conversation.messages, COUNT],
  listPosts: () => ["/posts", COUNT],
};

describe("every list", () => {
  it.each(lists)(
    "$id ends where next_cursor is null and nowhere else, with no page over its limit and every item once",
    async ({ id, nextPageParameter }) => {
      const [path, count] = LISTS[id]!();
      for (const limit of LIMITS) {
        const seen: string[] = [];
        let cursor: string | null | undefined;
        for (let page = 0; cursor !== null; page++) {
          const query = new URLSearchParams({
            limit: String(limit),
            ...(cursor === undefined ? {} : { [nextPageParameter!]: cursor }),
          });
          const { status, body, headers } = await ada("GET", `${path}?${query.toString()}`);
          expect(status).toBe(200);
          expect(body.data.length).toBeLessThanOrEqual(limit);
          expect(body.page.limit).toBe(limit);
          seen.push(...body.data.map((it: Body) => it.id ?? it.user_id));
          cursor = body.page.next_cursor as string | null;
          // The link says the same as the cursor.
          expect(/rel="next"/.test(headers.get("link") ?? "")).toBe(cursor !== null);
          expect(page).toBeLessThan(2 * count);
        }
        expect({ limit, count: seen.length, distinct: new Set(seen).size }).toEqual({ limit, count, distinct: count });
      }
    },
    60_000,
  );

  it("says of short pages and of the end what all the others say", () => {
    const said = lists.map((operation) => {
      const { schema } = declaredResponse(operation, "200")!.content["application/json"]!;
      const page = resolve<{ properties: { page: Body } }>(contract, schema).properties.page;
      const { limit, next_cursor: next } = resolve<{ properties: Record<string, { description: string }> }>(
        contract,
        page,
      ).properties;
      return [limit!.description, /Only `null` means that (this is the last page|there are none)\./.test(next!.description)];
    });
    const one = [
      "The page size that was applied. A page can hold fewer items than this, or none, without being the last page.",
      true,
    ];
    expect(said).toEqual(lists.map(() => one));
  });
});
