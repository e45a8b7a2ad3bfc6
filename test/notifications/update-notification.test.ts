import { randomUUIDv7 } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import type { Client } from "../support/client.ts";
import { openConversation, send } from "../support/conversations.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

/** A user with one unread notification, and its path. */
async function notifiedUser(): Promise<{ yuki: Client; path: string }> {
  const [ada, yuki] = [await service.as(), await service.as()];
  await openConversation(ada, [yuki]);
  return { yuki, path: `/notifications/${(await yuki("GET", "/notifications")).body.data[0].id}` };
}

describe("PATCH /notifications/{notification_id}", () => {
  it("returns 200 with the status read and a read_at, as do later reads, and decreases the unread count", async () => {
    const { yuki, path } = await notifiedUser();
    const before = Date.now() - 1_000;
    const marked = await yuki("PATCH", path, { status: "read" });
    expect(marked).toMatchObject({ status: 200, body: { status: "read", read_at: expect.any(String) } });
    expect(Date.parse(marked.body.read_at)).toBeGreaterThan(before);
    expect(marked.body.read_at >= marked.body.created_at).toBe(true);
    expect(await yuki("GET", path)).toMatchObject({ body: marked.body });
    expect(await yuki("GET", "/notifications")).toMatchObject({ body: { data: [marked.body], unread_count: 0 } });
  });

  it("returns the same read_at for ten concurrent requests", async () => {
    const { yuki, path } = await notifiedUser();
    const answers = await Promise.all(Array.from({ length: 10 }, () => yuki("PATCH", path, { status: "read" })));
    expect(new Set(answers.map((it) => it.text)).size).toBe(1);
  });

  it("keeps it unread if a message arrived after the seen token, and marks it as read with a newer token", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki]);
    await send(ada, conversation, "Seen");
    const { body: shown } = await yuki("GET", "/notifications?kind=message.created");
    const path = `/notifications/${shown.data[0].id}`;
    await send(ada, conversation, "Not seen");
    expect(await yuki("PATCH", path, { status: "read", seen: shown.seen })).toMatchObject({
      status: 200,
      body: { status: "unread", body: "Not seen", event_count: 2 },
    });
    const { seen } = (await yuki("GET", "/notifications")).body;
    expect(await yuki("PATCH", path, { status: "read", seen })).toMatchObject({ status: 200, body: { status: "read" } });
  });

  it("sets it to unread again, also twice, and counts it once as unread", async () => {
    const { yuki, path } = await notifiedUser();
    await yuki("PATCH", path, { status: "read" });
    for (let round = 0; round < 2; round++)
      expect(await yuki("PATCH", path, { status: "unread" })).toMatchObject({
        status: 200,
        body: { status: "unread", read_at: null },
      });
    expect((await yuki("GET", "/notifications")).body.unread_count).toBe(1);
  });

  it("returns the same 404 for another user's notification as for an unknown id, and changes nothing", async () => {
    const { yuki, path } = await notifiedUser();
    const stranger = await service.as();
    const [foreign, missing] = [
      await stranger("PATCH", path, { status: "read" }),
      await stranger("PATCH", `/notifications/${randomUUIDv7()}`, { status: "read" }),
    ];
    expect(foreign).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect({ ...foreign.body, request_id: "" }).toEqual({ ...missing.body, request_id: "" });
    expect(await yuki("GET", path)).toMatchObject({ body: { status: "unread" } });
    await yuki("PATCH", path, { status: "read" });
    expect(await stranger("PATCH", path, { status: "unread" })).toMatchObject({ status: 404 });
    expect(await yuki("GET", path)).toMatchObject({ body: { status: "read" } });
  });
});
