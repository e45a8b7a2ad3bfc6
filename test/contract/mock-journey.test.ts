import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { startMock, type Mock } from "../../scripts/mock/start-mock.ts";
import { createApi, type Api } from "../../scripts/upload/api.ts";

/** More than any of these loops needs, so that an endless loop fails instead of a timeout. */
const ROUNDS_MAX = 10;

/**
 * The work of a front-end developer before the service exists, with a client that has the generated types and doesn't know
 * about the mock.
 */
describe("a front end on the mock, with openapi-fetch and the generated types", () => {
  let mock: Mock;
  let api: Api;
  beforeAll(async () => {
    mock = await startMock(0);
    api = createApi(mock.url, "any");
  });
  afterAll(() => mock.close());

  it("reads all pages of posts, each post once", async () => {
    const ids: string[] = [];
    let query: { after?: string } = {};
    for (const _round of rounds()) {
      const { data: page } = await api.GET("/posts", { params: { query } });
      ids.push(...page!.data.map((it) => it.id));
      if (page!.page.next_cursor === null) break;
      query = { after: page!.page.next_cursor };
    }
    expect(ids.length).toBeGreaterThan(0);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("computes the number of pages of posts", async () => {
    const { data: page } = await api.GET("/posts", { params: { query: { offset: 0, limit: 1 } } });
    expect(page!.page.offset).toBe(0);
    expect(Math.ceil(page!.page.total! / page!.page.limit)).toBe(2);
  });

  it("sends a message, and fetches newer messages until has_newer is false", async () => {
    const { data: conversations } = await api.GET("/conversations");
    const path = { conversationId: conversations!.data[0]!.id };
    const { data: message, response } = await api.POST("/conversations/{conversationId}/messages", {
      params: { path, header: { "Idempotency-Key": crypto.randomUUID() } },
      body: { body: "The slates come on Thursday." },
    });
    expect(response.status).toBe(201);
    expect(response.headers.get("Location")).toBe(`/conversations/${path.conversationId}/messages/${message!.id}`);

    let { data: page } = await api.GET("/conversations/{conversationId}/messages", { params: { path, query: { limit: 2 } } });
    for (const _round of rounds()) {
      ({ data: page } = await api.GET("/conversations/{conversationId}/messages", {
        params: { path, query: { limit: 2, after: page!.page.prev_cursor } },
      }));
      if (!page!.page.has_newer) break;
    }
    expect(page!.data).toEqual([]);
  });

  it("uploads a video, polls until its job has succeeded, and gets the poster and a rendition", async () => {
    const clip = await readFile(new URL("../../src/demo/clip.mp4", import.meta.url));
    const accepted = await api.POST("/video-uploads", {
      params: { query: { name: "clip.mp4" } },
      headers: { "Content-Type": "application/octet-stream" },
      body: "",
      bodySerializer: () => clip,
    });
    expect(accepted.response.status).toBe(202);
    const path = { job_id: accepted.data!.id };
    expect(accepted.response.headers.get("Location")).toBe(`/video-uploads/${path.job_id}`);

    let [job, response]: [typeof accepted.data, Response] = [accepted.data, accepted.response];
    // `Retry-After` means that the job has not ended. The test doesn't wait.
    for (const _round of rounds()) {
      if (!response.headers.has("Retry-After")) break;
      const etag = response.headers.get("ETag");
      const answer = await api.GET("/video-uploads/{job_id}", {
        params: { path, header: etag === null ? {} : { "If-None-Match": etag } },
      });
      [job, response] = [answer.data ?? job, answer.response];
    }
    expect(job).toMatchObject({ status: "succeeded", error: null });
    const poster = await fetch(new URL(job!.result!.poster.href, mock.url), { headers: { Authorization: "Bearer any" } });
    expect([poster.status, poster.headers.get("Content-Type")]).toEqual([200, "image/jpeg"]);
    const rendition = await fetch(new URL(job!.result!.renditions[0]!.href, mock.url), {
      headers: { Authorization: "Bearer any" },
    });
    expect(Buffer.from(await rendition.arrayBuffer()).equals(clip)).toBe(true);
  });

  it("reads notifications, gets 304 if nothing has changed, and marks one as read", async () => {
    const { data: page, response } = await api.GET("/notifications", { params: { query: { status: "unread" } } });
    expect(page!.data.length).toBeGreaterThan(0);
    const again = await api.GET("/notifications", {
      params: { query: { status: "unread" }, header: { "If-None-Match": response.headers.get("ETag")! } },
    });
    expect(again.response.status).toBe(304);
    const { data: read } = await api.PATCH("/notifications/{notification_id}", {
      params: { path: { notification_id: page!.data[0]!.id } },
      body: { status: "read" },
    });
    expect(read).toMatchObject({ status: "read" });
  });
});

function* rounds(): Generator<number> {
  for (let round = 1; round <= ROUNDS_MAX; round++) yield round;
  throw new Error(`The loop did not end after ${ROUNDS_MAX} rounds.`);
}
