import { randomUUID } from "node:crypto";
import { expect } from "@jest/globals";
import type { Answer } from "../../support/client.ts";
import { openConversation, send, withKey } from "../../support/conversations.ts";
import { publish } from "../../support/posts.ts";
import { header, outcome, type Claims } from "./claim.ts";

const POST = { title: "A title", body: "A body" };
const URL_TO = { target_url: "https://example.com/" };
const remaining = ({ headers }: Answer): number => Number(/;r=(\d+)/.exec(headers.get("ratelimit")!)![1]);

export const retries: Claims = {
  "Nothing is done twice, even if the resource has been deleted since.": async ({ as }) => {
    const user = await as();
    const key = withKey();
    const { headers, body } = await user("POST", "/posts", POST, key);
    await user("DELETE", headers.get("location")!);
    expect((await user("POST", "/posts", POST, key)).body).toEqual(body);
    expect((await user("GET", `/posts?author=${user.userId}`)).body.data).toEqual([]);
  },
  "Errors are not stored. The retry is a new attempt and can succeed.": async ({ as }) => {
    const user = await as();
    const key = withKey();
    expect(outcome(await user("POST", "/posts", { title: "A" }, key))).toBe("400 validation_failed");
    expect(outcome(await user("POST", "/posts", POST, key))).toBe("201");
  },
  "If you were removed from a conversation, a retry returns 403.": async ({ as }) => {
    const [owner, member] = [await as(), await as()];
    const conversation = await openConversation(owner, [member]);
    const key = randomUUID();
    expect(outcome(await send(member, conversation, "Hello", key))).toBe("201");
    await owner("DELETE", `${conversation.members}/${member.userId}`);
    expect(outcome(await send(member, conversation, "Hello", key))).toBe("403 not_a_member");
  },
  "| Does a replay count towards the rate limit? | Yes. |": async ({ as }) => {
    const user = await as();
    const key = withKey();
    const first = await user("POST", "/posts", POST, key);
    expect(remaining(await user("POST", "/posts", POST, key))).toBe(remaining(first) - 1);
  },
  "If you retry a DELETE after losing the response, a 404 means that the first request succeeded.": async ({ as }) => {
    const user = await as();
    const { path } = await publish(user);
    const { headers } = await user("POST", "/urls", URL_TO);
    const upload = await user("POST", "/video-uploads", Buffer.from("not a video"));
    for (const it of [path, headers.get("location")!, upload.headers.get("location")!]) {
      expect(outcome(await user("DELETE", it))).toBe("204");
      expect(outcome(await user("DELETE", it))).toBe("404 not_found");
    }
  },
  "A 304 counts as one request.": async ({ as }) => {
    const user = await as();
    const first = await user("GET", "/notifications");
    const etag = first.headers.get("etag")!;
    const again = await user("GET", "/notifications", undefined, header("If-None-Match", etag));
    expect([again.status, remaining(again)]).toEqual([304, remaining(first) - 1]);
  },
  "PATCH and DELETE return 412 if it has changed since you read it.": async ({ as }) => {
    const author = await as();
    const { path, etag } = await publish(author);
    await author("PATCH", path, { title: "Changed" });
    for (const [method, body] of [
      ["PATCH", { title: "Mine" }],
      ["DELETE", undefined],
    ] as const)
      expect(outcome(await author(method, path, body, header("If-Match", etag)))).toBe("412 precondition_failed");
    expect((await author("GET", path)).body.title).toBe("Changed");
  },
  "Without `If-Match`, the last write wins.": async ({ as }) => {
    const author = await as();
    const { path } = await publish(author);
    for (const title of ["First", "Second"]) expect(outcome(await author("PATCH", path, { title }))).toBe("200");
    expect((await author("GET", path)).body.title).toBe("Second");
  },
  "`*` matches any version. A weak tag or a malformed value matches none, so you get 412.": async ({ as }) => {
    const author = await as();
    const { path, etag } = await publish(author);
    for (const value of [`W/${etag}`, etag.replaceAll('"', ""), "?"])
      expect(outcome(await author("PATCH", path, { title: "Mine" }, header("If-Match", value)))).toBe("412 precondition_failed");
    expect(outcome(await author("PATCH", path, { title: "Mine" }, header("If-Match", "*")))).toBe("200");
  },
  '`RateLimit-Policy: "default";q=600;w=60` is the policy: 600 requests in 60 seconds.': async ({ as }) => {
    const { headers } = await (await as())("GET", "/account");
    expect(headers.get("ratelimit-policy")).toBe('"default";q=600;w=60');
  },
  "Each request counts towards one rate limit.": async ({ as }) => {
    const user = await as();
    const [first, write, second] = [
      await user("GET", "/account"),
      await user("POST", "/posts", POST),
      await user("GET", "/posts"),
    ];
    expect(remaining(second)).toBe(remaining(first) - 1);
    expect(remaining(write)).toBeLessThan(120);
  },
  "Health checks have none.": async ({ anonymous }) => {
    const { headers } = await anonymous("GET", "/health");
    expect([headers.get("ratelimit"), headers.get("ratelimit-policy")]).toEqual([null, null]);
  },
  "| `writes` | all other changes | user | 120 in 60 s |": async ({ as }) => {
    expect((await (await as())("POST", "/posts", POST)).headers.get("ratelimit-policy")).toBe('"writes";q=120;w=60');
  },
  "| `uploads` | uploading a video | user | 60 in an hour |": async ({ as }) => {
    const { headers } = await (await as())("POST", "/video-uploads", Buffer.from("not a video"));
    expect(headers.get("ratelimit-policy")).toBe('"uploads";q=60;w=3600');
  },
  "wrong tokens from it get 429 instead of 401. Valid tokens still work.": async ({ as, url }) => {
    const user = await as();
    const statuses: number[] = [];
    for (let n = 0; n <= 31; n++) {
      const { status } = await fetch(`${url}/account`, { headers: { Authorization: `Bearer plumb_${n}` } });
      statuses.push(status);
    }
    expect([statuses[0], statuses.at(-1)]).toEqual([401, 429]);
    expect(outcome(await user("GET", "/account"))).toBe("200");
  },
};
