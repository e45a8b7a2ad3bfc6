import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Body, Client } from "../support/client.ts";
import { openConversation, sendMany, withKey } from "../support/conversations.ts";
import { tell } from "../support/notifications.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { finished, smallClip } from "../support/videos.ts";

/** The eleven operations of the reference contract, each as described there, end to end. */
let service: TestService;
let ada: Client;
let yuki: Client;
beforeAll(async () => {
  service = await startTestService();
  [ada, yuki] = [await service.as({ name: "Ada Marsh" }), await service.as({ name: "Yuki Brandt" })];
});
afterAll(() => service.close());

describe("short URLs", () => {
  it("POST /urls returns 201 with a short URL that redirects to the target", async () => {
    const created = await ada("POST", "/urls", { target_url: "https://www.example.com/slates/order/5531?from=ada#list" });
    expect(created).toMatchObject({
      status: 201,
      body: { target_url: "https://www.example.com/slates/order/5531?from=ada#list" },
    });
    expect(created.headers.get("location")).toBe(`/urls/${created.body.id}`);
    const followed = await fetch(created.body.short_url, { redirect: "manual" });
    expect([followed.status, followed.headers.get("location")]).toEqual([
      302,
      "https://www.example.com/slates/order/5531?from=ada#list",
    ]);
  });

  it("GET /urls/{id} returns 200 with the short URL to its owner, and 404 to other users", async () => {
    const { body: url } = await ada("POST", "/urls", { target_url: "https://www.example.com/doors" });
    expect(await ada("GET", `/urls/${url.id}`)).toMatchObject({
      status: 200,
      body: { id: url.id, target_url: "https://www.example.com/doors", click_count: 0 },
    });
    expect(await yuki("GET", `/urls/${url.id}`)).toMatchObject({ status: 404, body: { code: "not_found" } });
  });

  it("DELETE /urls/{id} returns 204, and the short URL returns 410 from then on", async () => {
    const { body: url } = await ada("POST", "/urls", { target_url: "https://www.example.com/doors" });
    expect(await yuki("DELETE", `/urls/${url.id}`)).toMatchObject({ status: 404 });
    expect(await ada("DELETE", `/urls/${url.id}`)).toMatchObject({ status: 204, text: "" });
    expect(await ada("GET", `/urls/${url.id}`)).toMatchObject({ status: 404 });
    expect((await fetch(url.short_url, { redirect: "manual" })).status).toBe(410);
  });
});

describe("notifications", () => {
  it("GET /notifications lists the user's notifications by status, in the sort order, where - means descending", async () => {
    const reader = await service.as();
    await sendMany(ada, await openConversation(ada, [reader], "Boathouse roof"), 3);
    await tell(ada, reader, 2);
    const {
      body: { data: all },
    } = await reader("GET", "/notifications");
    expect(all).toHaveLength(4);
    await reader("PATCH", `/notifications/${all[0].id}`, { status: "read" });
    const listed = async (query: string) =>
      (await reader("GET", `/notifications?${query}`)).body.data.map((it: Body) => it.id as string);
    const ids = all.map((it: Body) => it.id as string);
    expect(await listed("sort=-created_at")).toEqual(ids);
    expect(await listed("sort=created_at")).toEqual(ids.toReversed());
    expect(await listed("status=unread&sort=created_at")).toEqual(ids.slice(1).toReversed());
    expect(await listed("status=read")).toEqual([ids[0]]);
  });
});

describe("video uploads", () => {
  it("POST /video-uploads returns 202 with the Location /video-uploads/<job_id> and the id of the job", async () => {
    const accepted = await ada("POST", "/video-uploads", await smallClip());
    expect(accepted).toMatchObject({ status: 202, body: { id: expect.any(String), status: "queued" } });
    expect(accepted.headers.get("location")).toBe(`/video-uploads/${accepted.body.id}`);
  });

  it("GET /video-uploads/{job_id} returns the progress of the job, and in the end its result or its error", async () => {
    const good = (await ada("POST", "/video-uploads", await smallClip())).body;
    const bad = (await ada("POST", "/video-uploads", Buffer.from("not a video"))).body;
    expect(await ada("GET", `/video-uploads/${good.id}`)).toMatchObject({
      status: 200,
      body: { progress: { percent: expect.any(Number) } },
    });
    expect(await finished(ada, good)).toMatchObject({
      status: "succeeded",
      progress: { percent: 100 },
      result: { width: 160, height: 120 },
      error: null,
    });
    expect(await finished(ada, bad)).toMatchObject({ status: "failed", result: null, error: { code: "unsupported_media" } });
  }, 180_000);
});

describe("conversations", () => {
  it("POST /conversations creates a conversation with the given users, and returns 403 to others", async () => {
    const created = await ada("POST", "/conversations", { member_ids: [yuki.userId] }, withKey());
    expect(created).toMatchObject({ status: 201, body: { member_count: 2 } });
    const at = created.headers.get("location")!;
    expect((await yuki("GET", at)).status).toBe(200);
    const stranger = await service.as();
    for (const path of [at, `${at}/members`, `${at}/messages`])
      expect(await stranger("GET", path)).toMatchObject({ status: 403, body: { code: "not_a_member" } });
  });

  it("POST /conversations/{conversationId}/messages sends a message, and a retry never duplicates it", async () => {
    const { messages } = await openConversation(ada, [yuki]);
    const attempts = [];
    const key = randomUUID();
    for (let attempt = 0; attempt < 3; attempt++)
      attempts.push(await ada("POST", messages, { body: "The slates come on Thursday." }, withKey(key)));
    expect(attempts.map((it) => it.status)).toEqual([201, 201, 201]);
    expect(new Set(attempts.map((it) => it.text)).size).toBe(1);
    expect((await yuki("GET", messages)).body.data).toEqual([attempts[0]!.body]);
    expect(await (await service.as())("POST", messages, { body: "Let me in." }, withKey())).toMatchObject({
      status: 403,
      body: { code: "not_a_member" },
    });
  });

  it("GET /conversations/{conversationId}/messages pages backwards with an opaque cursor, in a stable order", async () => {
    const conversation = await openConversation(ada, [yuki]);
    const sent = await sendMany(ada, conversation, 5);
    const read: Body[] = [];
    let path: string | null = `${conversation.messages}?limit=2`;
    while (path !== null) {
      const { body }: { body: Body } = await yuki("GET", path);
      expect(body.data.length).toBeLessThanOrEqual(2);
      read.push(...body.data);
      path = body.page.next_cursor === null ? null : `${conversation.messages}?limit=2&before=${body.page.next_cursor}`;
    }
    expect(read).toEqual(sent.toReversed());
  });
});

describe("posts", () => {
  const written: string[] = [];
  beforeAll(async () => {
    for (let number = 1; number <= 5; number++)
      written.unshift((await ada("POST", "/posts", { title: `Post ${number}`, body: "On the roof." })).body.id);
  });
  const ids = (posts: readonly Body[]) => posts.map((it) => it.id as string);

  it("GET /posts with limit and offset returns the page at that position, and the total", async () => {
    const pages = [
      await yuki("GET", "/posts?limit=2&offset=0"),
      await yuki("GET", "/posts?limit=2&offset=2"),
      await yuki("GET", "/posts?limit=2&offset=4"),
    ];
    expect(pages.flatMap((it) => ids(it.body.data))).toEqual(written);
    for (const [index, page] of pages.entries())
      expect(page).toMatchObject({ status: 200, body: { page: { limit: 2, offset: 2 * index, total: 5 } } });
  });

  it("GET /posts with limit and after returns the page after an opaque cursor, and the next cursor", async () => {
    const read: string[] = [];
    let after: string | null = null;
    do {
      const { body }: { body: Body } = await yuki("GET", `/posts?limit=2${after === null ? "" : `&after=${after}`}`);
      read.push(...ids(body.data));
      after = body.page.next_cursor;
    } while (after !== null);
    expect(read).toEqual(written);
  });
});
