import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { startMock, type Mock } from "../../scripts/mock/start-mock.ts";
import { createClient, type Answer, type Client } from "../support/client.ts";
import { declaredOutcomes, operations } from "../support/contract.ts";
import { ask, exampleRequest } from "../support/example-requests.ts";
import { BYTES } from "../support/resources.ts";

/** Headers that only the mock sends. */
const MOCK_HEADERS = ["preference-applied", "x-stability"];

const AS_IN_THE_EXAMPLES: ReadonlyMap<string, string> = new Map();
const CONVERSATION = "/conversations/01a1e35e-f078-759b-82a0-5d32985fb4e7";
const JOB = "/video-uploads/01a1ef8f-34ae-7320-b9dd-21e52cd552a0";

const state = ({ body, headers }: Answer) => [body?.status, headers.get("retry-after")];
const told = ({ headers }: Answer) =>
  ["location", "upload-offset", "upload-complete", "upload-limit"].map((it) => headers.get(it));

/** The client compares every response with the contract, so each request is already a check. */
describe("npm run mock", () => {
  let mock: Mock;
  let client: Client;
  beforeAll(async () => {
    // Responses of the mock don't prove what the service can do.
    delete process.env["WITNESS_FILE"];
    mock = await startMock(0);
    client = createClient(mock.url, { userId: "", name: "", authorization: "Bearer any", ownHeaders: MOCK_HEADERS });
  });
  afterAll(() => mock.close());

  it.each(operations.map((it) => [it.id, it] as const))(
    "returns a success for %s that matches the contract",
    async (_id, operation) => {
      const { status } = await ask(client, exampleRequest(operation, AS_IN_THE_EXAMPLES));
      expect(status).toBeLessThan(400);
    },
  );

  // 304 needs an `If-None-Match`, and 206 a range, so `Prefer` can't choose them.
  it.each(declaredOutcomes.filter((it) => !/ (304|206)$/.test(it)))("returns %s if the client prefers it", async (outcome) => {
    const [id, code] = outcome.split(" ");
    const request = exampleRequest(
      operations.find((it) => it.id === id)!,
      AS_IN_THE_EXAMPLES,
    );
    expect(await ask(client, request, { Prefer: `code=${code}` })).toMatchObject({ status: Number(code) });
  });

  it("returns the preferred example", async () => {
    const { body } = await client("GET", "/posts", undefined, { headers: { Prefer: "example=by_offset" } });
    expect(body.page).toHaveProperty("total", 2);
  });

  const spellings = ['code="404"', "CODE = 404", "respond-async, code=404", "code=404, code=403", 'note="code=403", code=404'];
  it.each(spellings)("parses Prefer: %s as in RFC 7240, and reports what it has applied", async (Prefer) => {
    const { status, headers } = await client("GET", CONVERSATION, undefined, { headers: { Prefer } });
    expect([status, headers.get("preference-applied")]).toEqual([404, "code=404"]);
  });

  it("doesn't report preferences that it hasn't applied", async () => {
    const { headers } = await client("GET", "/posts", undefined, { headers: { Prefer: "respond-async, wait=10" } });
    expect(headers.has("preference-applied")).toBe(false);
  });

  it.each(["default", "418", "toString"])(
    "rejects the preference for the status %s, and names the available ones",
    async (code) => {
      const { status, body } = await client("GET", "/posts", undefined, { headers: { Prefer: `code=${code}` } });
      expect([status, body.detail]).toEqual([
        400,
        `In the contract, listPosts has no status ${code}; it has 200, 400, 401, 403, 429, 500, 503.`,
      ]);
    },
  );

  it("rejects the preference for an unknown example, and names the available ones", async () => {
    const unknown = await client("GET", "/posts", undefined, { headers: { Prefer: "example=by_page" } });
    expect(unknown).toMatchObject({
      status: 400,
      body: { detail: "In the contract, the 200 of listPosts has no example by_page; it has by_cursor, by_offset." },
    });
    const without = await client("DELETE", JOB, undefined, { headers: { Prefer: "example=done" } });
    expect(without).toMatchObject({
      status: 400,
      body: { detail: "In the contract, the 204 of deleteVideoUpload has no example done; it has none." },
    });
  });

  it("returns 304 for the current ETag", async () => {
    const { headers } = await client("GET", "/notifications");
    expect(
      await client("GET", "/notifications", undefined, { headers: { "If-None-Match": headers.get("etag")! } }),
    ).toMatchObject({ status: 304, text: "" });
  });

  it("ends a list by cursor at the second page", async () => {
    const { body } = await client("GET", "/posts?limit=3");
    expect(body.page.next_cursor).not.toBeNull();
    const next = await client("GET", `/posts?limit=3&after=${body.page.next_cursor}`);
    expect(next.body).toMatchObject({ data: [], page: { next_cursor: null } });
  });

  it("ends a list by offset at its total", async () => {
    const first = await client("GET", "/posts?offset=0");
    expect(first.body.page).toMatchObject({ offset: 0, total: 2 });
    expect((await client("GET", "/posts?offset=1")).body).toMatchObject({ data: [{}], page: { offset: 1, total: 2 } });
    expect((await client("GET", "/posts?offset=2")).body).toMatchObject({ data: [], page: { offset: 2, total: 2 } });
  });

  it("returns each message of a conversation once, and no newer ones afterwards", async () => {
    const newest = await client("GET", `${CONVERSATION}/messages?limit=2`);
    const oldest = await client("GET", `${CONVERSATION}/messages?limit=2&before=${newest.body.page.next_cursor}`);
    expect([...newest.body.data, ...oldest.body.data].map((it) => it.sequence)).toEqual([3, 2, 1]);
    expect(oldest.body.page.next_cursor).toBeNull();
    const { prev_cursor } = newest.body.page;
    expect((await client("GET", `${CONVERSATION}/messages?after=${prev_cursor}`)).body).toMatchObject({
      data: [],
      page: { prev_cursor, has_newer: false },
    });
  });

  it("returns a succeeded job from the second poll on", async () => {
    await client("POST", "/video-uploads", BYTES);
    expect(state(await client("HEAD", JOB))).toEqual([undefined, "2"]);
    expect(state(await client("GET", JOB))).toEqual(["processing", "2"]);
    expect(state(await client("GET", JOB))).toEqual(["succeeded", null]);
    expect(state(await client("GET", JOB))).toEqual(["succeeded", null]);
  });

  it("restarts the job with each upload, although all of them have the same id", async () => {
    for (let upload = 1; upload <= 2; upload++) {
      await client("POST", "/video-uploads", BYTES);
      expect(state(await client("GET", JOB))).toEqual(["processing", "2"]);
      expect(state(await client("GET", JOB))).toEqual(["succeeded", null]);
    }
  });

  it("returns 200 to a poll with the ETag if the job has changed, and otherwise 304", async () => {
    await client("POST", "/video-uploads", BYTES);
    const { headers } = await client("GET", JOB);
    const second = await client("GET", JOB, undefined, { headers: { "If-None-Match": headers.get("etag")! } });
    expect(second).toMatchObject({ status: 200, body: { status: "succeeded" } });
    expect(await client("GET", JOB, undefined, { headers: { "If-None-Match": second.headers.get("etag")! } })).toMatchObject({
      status: 304,
    });
  });

  it("returns a job that never ends or that has failed if the client prefers it", async () => {
    for (let poll = 1; poll <= 3; poll++) {
      expect(state(await client("GET", JOB, undefined, { headers: { Prefer: "example=processing" } }))).toEqual([
        "processing",
        "2",
      ]);
      expect(state(await client("GET", JOB, undefined, { headers: { Prefer: "example=failed" } }))).toEqual(["failed", null]);
    }
  });

  it("returns the Location and offset of a resumable upload, and the Location of its job", async () => {
    const begun = await client("POST", "/video-uploads", BYTES, { headers: { "Upload-Complete": "?0" } });
    expect([begun.status, ...told(begun)]).toEqual([
      204,
      `${JOB}/transfer`,
      String(BYTES.length),
      "?0",
      "max-size=2147483648, min-append-size=268436, max-age=86400",
    ]);
    expect((await client("POST", "/video-uploads", BYTES, { headers: { Prefer: "code=204" } })).headers.get("location")).toBe(
      `${JOB}/transfer`,
    );
    const headers = {
      "Content-Type": "application/partial-upload",
      "Upload-Offset": String(BYTES.length),
      "Upload-Complete": "?1",
    };
    const completed = await client("PATCH", `${JOB}/transfer`, BYTES, { headers });
    expect([completed.status, ...told(completed)]).toEqual([
      202,
      JOB,
      String(2 * BYTES.length),
      "?1",
      "max-size=2147483648, min-append-size=268436, max-age=86400",
    ]);
  });

  it("marks experimental operations and responses, and no others", async () => {
    const stability = ({ headers }: { headers: Headers }) => headers.get("x-stability");
    expect(stability(await client("HEAD", `${JOB}/transfer`))).toBe("experimental");
    expect(stability(await client("GET", `${JOB}/transfer`, undefined, { headers: { Prefer: "code=404" } }))).toBe(
      "experimental",
    );
    const begun = await client("POST", "/video-uploads", BYTES, { headers: { "Upload-Complete": "?0" } });
    expect([begun.status, stability(begun)]).toEqual([204, "experimental"]);
    expect(stability(await client("POST", "/video-uploads", BYTES))).toBeNull();
    expect(stability(await client("GET", JOB))).toBeNull();
  });

  it("returns Retry-After with the 409 of createMessage", async () => {
    const request = exampleRequest(
      operations.find((it) => it.id === "createMessage")!,
      AS_IN_THE_EXAMPLES,
    );
    const { headers } = await ask(client, request, { Prefer: "code=409" });
    expect(headers.get("retry-after")).toBe("2");
  });

  it("rejects an invalid body with 400, and a request without a token with 401", async () => {
    expect(await client("POST", "/posts", { title: "" })).toMatchObject({ status: 400, body: { code: "validation_failed" } });
    expect(await createClient(mock.url, { userId: "", name: "", ownHeaders: MOCK_HEADERS })("GET", "/posts")).toMatchObject({
      status: 401,
    });
  });

  it("allows scripts of any origin, and their Prefer header", async () => {
    const preflight = await fetch(`${mock.url}/posts`, {
      method: "OPTIONS",
      headers: {
        Origin: "http://localhost:5173",
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "authorization,prefer",
      },
    });
    expect(preflight.headers.get("access-control-allow-headers")?.toLowerCase().split(",")).toContain("prefer");
    const { headers } = await client("GET", "/posts", undefined, { headers: { Origin: "http://localhost:5173" } });
    expect(headers.get("access-control-allow-origin")).toBe("*");
  });
});
