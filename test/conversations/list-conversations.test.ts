import { describe, expect, it } from "@jest/globals";
import { openConversation, send, walk } from "../support/conversations.ts";
import type { Client } from "../support/client.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

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
});
