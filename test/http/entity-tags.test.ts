import { describe, expect, it } from "@jest/globals";
import { namesEtag } from "../../src/util/etag.ts";
import type { Answer } from "../support/client.ts";
import { openConversation } from "../support/conversations.ts";
import { rawRequest } from "../support/raw-http.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

// Without a worker, so that jobs don't change.
const service = prepare(() => startTestService({ ROLE: "api" }));
const ada = prepare(() => service.as());

const KEY = { headers: { "Idempotency-Key": "the-same-key" } };
/** Responses with the representation of a resource that has a GET, and the path of the resource. */
const ANSWERS: Readonly<Record<string, () => Promise<{ answer: Answer; path: string }>>> = {
  "createUrl, 201": async () => located(await ada("POST", "/urls", { target_url: "https://example.com/" })),
  "createUrl, replayed": async () => {
    const first = await ada("POST", "/urls", { target_url: "https://example.com/" }, KEY);
    const again = await ada("POST", "/urls", { target_url: "https://example.com/" }, KEY);
    expect([again.headers.get("idempotency-replayed"), again.headers.get("etag")]).toEqual(["true", first.headers.get("etag")]);
    return located(again);
  },
  "createPost, 201": async () => located(await ada("POST", "/posts", { title: "A title", body: "A body" })),
  "updatePost, 200": async () => {
    const { path } = located(await ada("POST", "/posts", { title: "A title", body: "A body" }));
    return { answer: await ada("PATCH", path, { title: "Another" }), path };
  },
  "updateNotification, 200": async () => {
    await openConversation(await service.as(), [ada]);
    const { body } = await ada("GET", "/notifications");
    const path = `/notifications/${body.data[0].id}`;
    return { answer: await ada("PATCH", path, { status: "read" }), path };
  },
  "createVideoUpload, 202": async () =>
    located(await ada("POST", "/video-uploads?name=clip.mp4", Buffer.from("not processed yet"))),
  "a resumable upload, 202": async () =>
    located(
      await ada("POST", "/video-uploads?name=clip.mp4", Buffer.from("not processed yet"), {
        headers: { "Upload-Complete": "?1", "Upload-Length": "17" },
      }),
    ),
};

const located = (answer: Answer) => ({ answer, path: answer.headers.get("location")! });

describe("a response with a resource whose GET has an ETag", () => {
  it.each(Object.entries(ANSWERS))("has the same ETag: %s", async (_what, make) => {
    const { answer, path } = await make();
    const etag = answer.headers.get("etag");
    const read = await ada("GET", path);
    expect(read).toMatchObject({ status: 200, body: answer.body });
    expect(etag).toBe(read.headers.get("etag"));
    expect(await ada("GET", path, undefined, { headers: { "If-None-Match": etag! } })).toMatchObject({ status: 304 });
  });
});

describe("a GET without an ETag", () => {
  it.each(["/account", "/urls", "/video-uploads", "/conversations", "/posts", "/health", "/health/live"])(
    "ignores If-None-Match: * and returns 200: %s",
    async (path) => {
      // `fetch` adds `Cache-Control: no-cache` to a conditional request.
      for (const method of ["GET", "HEAD"]) {
        const answer = await rawRequest(ada, service.url, { method, path, headers: { "If-None-Match": "*" } });
        expect(answer).toMatchObject({ status: 200 });
      }
    },
  );
});

it.each([
  ['"a"', '"a"', true, true],
  ['W/"a"', '"a"', true, false],
  ['"a"', 'W/"a"', true, false],
  ['W/"a"', 'W/"a"', true, false],
  ['"b", W/"a"', '"a"', true, false],
  ['"b",, "a" ', '"a"', true, true],
  ['"W/a"', '"a"', false, false],
  ["*", 'W/"a"', true, true],
  // What is malformed matches nothing, even if it contains the tag.
  ...['x, "a"', '"a", *', '"a" x', '"a""x"'].map((it): [string, string, boolean, boolean] => [it, '"a"', false, false]),
])("%s matches %s weakly: %s, strongly: %s (RFC 9110, 8.8.3.2)", (header, etag, isWeakMatch, isStrongMatch) => {
  expect([namesEtag(header, etag, "weak"), namesEtag(header, etag, "strong")]).toEqual([isWeakMatch, isStrongMatch]);
});

describe("a header of 12 KB", () => {
  const LONG = Array.from({ length: 300 }, (_, n) => `"the-entity-tag-with-the-number-${n}"`).join(", ");

  it("works if it is a list of entity tags", async () => {
    const { body, headers } = await ada("POST", "/posts", { title: "A title", body: "A body" });
    const [path, etag] = [`/posts/${body.id}`, headers.get("etag")!];
    const read = (tags: string) => rawRequest(ada, service.url, { method: "GET", path, headers: { "If-None-Match": tags } });
    expect(await read(`${LONG}, ${etag}`)).toMatchObject({ status: 304 });
    expect(await read(LONG)).toMatchObject({ status: 200 });
    const change = (tags: string) => ada("PATCH", path, { title: "Another" }, { headers: { "If-Match": tags } });
    expect(await change(LONG)).toMatchObject({ status: 412 });
    expect(await change(`${LONG}, ${etag}`)).toMatchObject({ status: 200 });
  });

  it.each(["If-None-Match", "Range", "If-Range", "Consistency-Token"])("is ignored if it is malformed: %s", async (name) => {
    const path = "/video-uploads/01a1efac-3ed3-7e8e-9855-dcb0c0290103/original";
    const headers = { [name]: "x".repeat(12_000) };
    expect(await rawRequest(ada, service.url, { method: "GET", path, headers })).toMatchObject({ status: 404 });
  });
});
