import { expect } from "@jest/globals";
import { openConversation, send, withKey } from "../../support/conversations.ts";
import { publish } from "../../support/posts.ts";
import { header, outcome, UNKNOWN, type Claims } from "./claim.ts";

const INVALID = "400 validation_failed";
const POST = { title: "A title", body: "A body" };
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export const requests: Claims = {
  "A response always contains every field; a field without a value is `null`.": async ({ as }) => {
    const user = await as();
    expect((await user("POST", "/urls", { target_url: "https://example.com/" })).body).toMatchObject({ expires_at: null });
    const conversation = await openConversation(user, [await as()]);
    expect((await user("GET", conversation.path)).body).toMatchObject({ title: null, last_message_at: null });
  },
  "In a request, leave a field out instead: `null` returns 400.": async ({ as }) => {
    const user = await as();
    const request = { target_url: "https://example.com/", expires_at: null };
    expect(outcome(await user("POST", "/urls", request))).toBe(INVALID);
  },
  "**Ids** are UUIDs of version 7 in lower case, except those of short URLs, which are short codes.": async ({ as }) => {
    const user = await as();
    const { post } = await publish(user);
    const conversation = await openConversation(user, [await as()]);
    const { body: message } = await send(user, conversation, "Hello");
    for (const id of [user.userId, post.id, conversation.id, message.id]) expect(id).toMatch(UUID_V7);
    const { body: url } = await user("POST", "/urls", { target_url: "https://example.com/" });
    expect(url.id).toMatch(/^[A-Za-z0-9]{8}$/);
  },
  "A malformed id returns 400, an unknown one 404.": async ({ as }) => {
    const user = await as();
    for (const list of ["/posts", "/notifications", "/video-uploads", "/conversations"]) {
      expect(outcome(await user("GET", `${list}/not-an-id`))).toBe(INVALID);
      expect(outcome(await user("GET", `${list}/${UNKNOWN}`))).toBe("404 not_found");
    }
  },
  "**Timestamps** are UTC with exactly three decimals: `2026-11-18T17:20:05.331Z`.": async ({ as }) => {
    const { post } = await publish(await as());
    for (const it of [post.created_at, post.updated_at]) expect(it).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  },
  "**Text** is counted in Unicode code points and returned as you sent it.": async ({ as }) => {
    const user = await as();
    const title = "🛖".repeat(200);
    const body = "e\u0301 <b>&amp;</b>\r\n\ttab ";
    expect((await publish(user, { title, body })).post).toMatchObject({ title, body });
    expect(outcome(await user("POST", "/posts", { title: `${title}🛖`, body }))).toBe(INVALID);
  },
  "A title is a single line; a body can have many.": async ({ as }) => {
    const user = await as();
    for (const title of ["Two\nlines", "a\tb", "a\x7fb"])
      expect(outcome(await user("POST", "/posts", { title, body: "A body" }))).toBe(INVALID);
    expect((await publish(user, { body: "Two\nlines" })).post.body).toBe("Two\nlines");
  },
  "If the response has a `Location`, it is the path of what was created or started.": async ({ as }) => {
    const user = await as();
    const created = await user("POST", "/posts", POST);
    expect((await user("GET", created.headers.get("location")!)).body).toEqual(created.body);
    const started = await user("POST", "/video-uploads", Buffer.from("not a video"));
    expect((await user("GET", started.headers.get("location")!)).body.id).toBe(started.body.id);
  },
  "Poll `Location`, waiting for `Retry-After` between requests.": async ({ as }) => {
    const { status, headers } = await (await as())("POST", "/video-uploads", Buffer.from("not a video"));
    expect([status, headers.get("location")]).toEqual([202, expect.stringMatching(/^\/video-uploads\//)]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  },
  "Resolve it against the URL of the request to get a page that explains the code.": async ({ as, url }) => {
    const { body } = await (await as())("GET", "/posts?limit=0");
    const page = await fetch(new URL(body.type, `${url}/posts?limit=0`));
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("validation_failed")]);
  },
  "`Location`, `Link`, `href` and the `type` of a problem are paths that begin with a slash": async ({ as }) => {
    const [user, other] = [await as(), await as()];
    await openConversation(other, [user]);
    const { body } = await user("GET", "/notifications");
    expect(body.data[0].resource.href).toMatch(/^\/conversations\//);
    expect((await publish(user)).path).toMatch(/^\/posts\//);
    await publish(user);
    expect((await user("GET", "/posts?limit=1")).headers.get("link")).toMatch(/^<\/posts\?/);
  },
  "API keys and access tokens in the query are not accepted.": async ({ as, anonymous }) => {
    const key = (await as()).authorization!.replace("Bearer ", "");
    expect(outcome(await anonymous("GET", `/account?access_token=${key}`))).toBe("401 unauthenticated");
  },
  "`GET /account` needs no scope and returns the scopes of your token.": async ({ as }) => {
    expect((await (await as([]))("GET", "/account")).body.scopes).toEqual([]);
    expect((await (await as(["urls:read", "posts:read"]))("GET", "/account")).body.scopes).toEqual(["posts:read", "urls:read"]);
  },
  "Following a short URL, playing a file by its link and checking health need no token.": async ({ as, anonymous }) => {
    const { body } = await (await as())("POST", "/urls", { target_url: "https://example.com/" });
    expect((await anonymous("GET", `/u/${body.id}`)).status).toBe(302);
    expect((await anonymous("GET", "/health")).status).toBe(200);
  },
  "| all others, such as short URLs | their owner | 404, the same as for an unknown id |": async ({ as }) => {
    const [owner, other] = [await as(), await as()];
    const { body: url } = await owner("POST", "/urls", { target_url: "https://example.com/" });
    const { body: job } = await owner("POST", "/video-uploads", Buffer.from("not a video"));
    await openConversation(other, [owner]);
    const { body: list } = await owner("GET", "/notifications?kind=conversation.member_added");
    const hook = { url: "https://hooks.example.org/", events: ["message.created"] };
    const { endpoint } = (await owner("POST", "/webhook-endpoints", hook)).body;
    for (const [path, unknown] of [
      [`/urls/${url.id}`, "/urls/never-used"],
      [`/video-uploads/${job.id}`, `/video-uploads/${UNKNOWN}`],
      [`/notifications/${list.data[0].id}`, `/notifications/${UNKNOWN}`],
      [`/webhook-endpoints/${endpoint.id}`, `/webhook-endpoints/${UNKNOWN}`],
    ] as const) {
      const [mine, theirs] = [await other("GET", path), await other("GET", unknown)];
      expect([mine.status, { ...mine.body, request_id: "" }]).toEqual([404, { ...theirs.body, request_id: "" }]);
    }
  },
  "| posts | every user can read; the author can change and delete | 403 `not_the_author` |": async ({ as }) => {
    const [author, other] = [await as(), await as()];
    const { path } = await publish(author);
    expect(outcome(await other("GET", path))).toBe("200");
    expect(outcome(await other("PATCH", path, { title: "Mine" }))).toBe("403 not_the_author");
    expect(outcome(await other("DELETE", path))).toBe("403 not_the_author");
  },
  "In a conversation, access is checked before a cursor, so 403 comes before 400 `invalid_cursor`.": async ({ as }) => {
    const [owner, stranger] = [await as(), await as()];
    const { messages } = await openConversation(owner, [await as()]);
    expect(outcome(await owner("GET", `${messages}?before=AAAA`))).toBe("400 invalid_cursor");
    expect(outcome(await stranger("GET", `${messages}?before=AAAA`))).toBe("403 not_a_member");
  },
  "Every response of an operation has `X-Content-Type-Options: nosniff` and a `Content-Security-Policy` that allows no scripts and no requests.":
    async ({ as, anonymous }) => {
      const page = await anonymous("GET", "/u/never-used", undefined, header("Accept", "text/html"));
      for (const { headers } of [page, await anonymous("GET", "/posts"), await (await as())("GET", "/account")]) {
        const policy = headers.get("content-security-policy")!;
        expect([headers.get("x-content-type-options"), policy]).toEqual([
          "nosniff",
          expect.stringMatching(/^default-src 'none';/),
        ]);
        // The page has a style and an image of its own.
        for (const [, source] of policy.matchAll(/-src ([^;]+)/g)) expect(source).toMatch(/^('none'|'sha256-\S+'|data:)$/);
        expect(policy).not.toContain("script-src");
      }
    },
  "The key is **required** to start a conversation and to send a message, and **optional** for the other operations that list it.":
    async ({ as }) => {
      const [user, other] = [await as(), await as()];
      const { messages } = await openConversation(user, [other]);
      expect(outcome(await user("POST", "/conversations", { member_ids: [other.userId] }))).toBe("400 idempotency_key_required");
      expect(outcome(await user("POST", messages, { body: "Hello" }))).toBe("400 idempotency_key_required");
      for (const options of [{}, withKey()]) {
        expect((await user("POST", "/urls", { target_url: "https://example.com/" }, options)).status).toBe(201);
        expect((await user("POST", "/posts", POST, options)).status).toBe(201);
        expect((await user("POST", "/video-uploads", Buffer.from("not a video"), options)).status).toBe(202);
        const hook = { url: "https://hooks.example.org/", events: ["message.created"] };
        expect((await user("POST", "/webhook-endpoints", hook, options)).status).toBe(201);
      }
    },
};
