import { describe, expect, it } from "@jest/globals";
import { openConversation, send } from "../support/conversations.ts";
import { hold } from "../support/locks.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

describe("PATCH /conversations/{conversationId}", () => {
  it("changes the title for all members, also where there was none, and nothing else", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki]);
    const { body: before } = await yuki("GET", conversation.path);
    expect(before.title).toBeNull();
    expect(await ada("PATCH", conversation.path, { title: "Roof" })).toMatchObject({
      status: 200,
      body: { ...before, title: "Roof" },
    });
    expect((await yuki("GET", conversation.path)).body).toEqual({ ...before, title: "Roof" });
    expect((await yuki("GET", "/conversations")).body.data).toEqual([{ ...before, title: "Roof" }]);
  });

  it("leaves notifications and their ETags as they are, and the next event shows the new title", async () => {
    const [ada, yuki] = [await service.as({ name: "Ada" }), await service.as()];
    const conversation = await openConversation(ada, [yuki], "Roof");
    await send(ada, conversation, "One");
    const [{ id }] = (await yuki("GET", "/notifications?kind=message.created")).body.data;
    const before = await yuki("GET", `/notifications/${id}`);
    expect(before.body.title).toBe("Ada wrote in Roof");
    await ada("PATCH", conversation.path, { title: "Doors" });
    const tag = { headers: { "If-None-Match": before.headers.get("etag")! } };
    expect(await yuki("GET", `/notifications/${id}`, undefined, tag)).toMatchObject({ status: 304 });
    await send(ada, conversation, "Two");
    expect((await yuki("GET", `/notifications/${id}`)).body.title).toBe("Ada wrote in Doors");
  });

  it("writes nothing for the same title", async () => {
    const ada = await service.as();
    const { id, path } = await openConversation(ada, [ada], "Roof");
    const version = () => service.db.$queryRaw`SELECT xmin::text FROM conversations WHERE id = ${id}::uuid`;
    const before = await version();
    expect(await ada("PATCH", path, { title: "Roof" })).toMatchObject({ status: 200, body: { title: "Roof" } });
    expect(await version()).toEqual(before);
  });

  it.each([
    ["wins over another one that comes first", { title: "Doors" }, 200, "Floor"],
    ["is refused after a hand-over that comes first", { role: "owner" }, 403, "Roof"],
  ])("of an owner who waits for the conversation %s", async (_what, first, status, title) => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const { id, path, members } = await openConversation(ada, [yuki], "Roof");
    await using holder = await hold(service.databaseUrl, "SELECT 1 FROM conversations WHERE id = $1::uuid FOR UPDATE", [id]);
    const earlier = ada("PATCH", "role" in first ? `${members}/${yuki.userId}` : path, first);
    await holder.blocks(1);
    const later = ada("PATCH", path, { title: "Floor" });
    await holder.blocks(2);
    await holder.release();
    expect([(await earlier).status, (await later).status]).toEqual([200, status]);
    expect((await ada("GET", path)).body.title).toBe(title);
  });
});
