import { expect } from "@jest/globals";
import { contract } from "../../support/contract.ts";
import { openConversation, send, withKey } from "../../support/conversations.ts";
import { publish } from "../../support/posts.ts";
import { header, outcome, UNKNOWN, type Claims } from "./claim.ts";

const INVALID = "400 validation_failed";
const POST = { title: "A title", body: "A body" };
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export const requests: Claims = {
  "Unknown fields and unknown, repeated or empty query parameters return 400.": async ({ as }) => {
    const user = await as();
    expect(outcome(await user("POST", "/posts", { ...POST, nickname: "x" }))).toBe(INVALID);
    for (const query of ["verbose=1", "limit=1&limit=2", "limit="])
      expect([query, outcome(await user("GET", `/posts?${query}`))]).toEqual([query, INVALID]);
  },
  "Numbers in a query must be plain digits.": async ({ as }) => {
    const user = await as();
    for (const limit of ["1e1", "0x10", "%2B5", "5.0", "%205", "-1"])
      expect([limit, outcome(await user("GET", `/posts?limit=${limit}`))]).toEqual([limit, INVALID]);
  },
  "Two kinds of operation ignore unknown query parameters: following a short URL and checking health.": async ({
    as,
    nobody,
  }) => {
    const { body } = await (await as())("POST", "/urls", { target_url: "https://example.com/" });
    expect((await nobody("GET", `/u/${body.id}?from=mail`)).status).toBe(302);
    for (const path of ["/health", "/health/live"]) expect((await nobody("GET", `${path}?verbose=1`)).status).toBe(200);
  },
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
  "It must not be blank or contain NUL characters or unpaired surrogates.": async ({ as }) => {
    const user = await as();
    for (const body of ['"  \\n "', '"a\\u0000b"', '"a\\ud800b"']) {
      const refused = await user(
        "POST",
        "/posts",
        `{"title":"A title","body":${body}}`,
        header("Content-Type", "application/json"),
      );
      expect([body, refused.status]).toEqual([body, 400]);
    }
  },
  "A title is a single line; a body can have many.": async ({ as }) => {
    const user = await as();
    for (const title of ["Two\nlines", "a\tb", "a\x7fb"])
      expect(outcome(await user("POST", "/posts", { title, body: "A body" }))).toBe(INVALID);
    expect((await publish(user, { body: "Two\nlines" })).post.body).toBe("Two\nlines");
  },
  "**Paths** are case-sensitive and have no trailing slash.": async ({ as }) => {
    const user = await as();
    for (const path of ["/Posts", "/posts/"]) expect(outcome(await user("GET", path))).toBe("404 route_not_found");
  },
  "HEAD works wherever GET does and returns the same headers.": async ({ as }) => {
    const user = await as();
    const { path } = await publish(user);
    for (const it of [path, "/account", "/notifications", "/health"]) {
      const [get, head] = [await user("GET", it), await user("HEAD", it)];
      const ofConnection = new Set(["connection", "keep-alive"]);
      const names = ({ headers }: typeof get) => [...headers.keys()].filter((name) => !ofConnection.has(name)).sort();
      expect([it, head.status, head.text, names(head)]).toEqual([it, 200, "", names(get)]);
    }
  },
  "A JSON body can have 128 KiB, 32 levels, and 256 fields and items in total.": async ({ as }) => {
    const user = await as();
    const json = header("Content-Type", "application/json");
    expect(outcome(await user("POST", "/posts", " ".repeat(131_073), json))).toBe("413 content_too_large");
    const deep = await user("POST", "/posts", `{"title":${"[".repeat(33)}${"]".repeat(33)}}`, json);
    expect([deep.status, deep.body.errors[0].code]).toEqual([400, "depth"]);
    const wide = await user("POST", "/posts", { title: Array.from({ length: 255 }, () => 1), body: "A body" });
    expect([wide.status, wide.body.errors[0].code]).toEqual([400, "maxProperties"]);
  },
  "A query can have 256 parameters.": async ({ as }) => {
    const user = await as();
    const query = (count: number) => Array.from({ length: count }, (_, at) => `p${at}=1`).join("&");
    const flaw = async (count: number) => (await user("GET", `/posts?${query(count)}`)).body.errors[0].code;
    expect([await flaw(256), await flaw(257)]).toEqual(["additionalProperties", "maxProperties"]);
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
  "Use a method listed in `Allow`.": async ({ as }) => {
    const user = await as();
    const refused = await user("PUT", "/posts", POST);
    expect(outcome(refused)).toBe("405 method_not_allowed");
    expect(refused.headers.get("allow")!.split(", ")).toEqual(expect.arrayContaining(["GET", "HEAD", "POST"]));
  },
  "Accept `application/json`, or leave the header out.": async ({ as }) => {
    const user = await as();
    expect(outcome(await user("GET", "/posts", undefined, header("Accept", "application/xml")))).toBe("406 not_acceptable");
    expect(outcome(await user("GET", "/posts", undefined, header("Accept", "application/json")))).toBe("200");
  },
  "Send the media type of the operation.": async ({ as }) => {
    const refused = await (await as())("POST", "/posts", "title=A", header("Content-Type", "text/plain"));
    expect([outcome(refused), refused.headers.get("accept")]).toEqual(["415 unsupported_media_type", "application/json"]);
  },
  "Every response with a status of 400 or above is a problem document (RFC 9457) with the media type `application/problem+json`.":
    async ({ as, nobody }) => {
      const user = await as();
      for (const answer of [
        await user("GET", `/posts/${UNKNOWN}`),
        await user("GET", "/nowhere"),
        await user("PUT", "/posts"),
        await nobody("GET", "/posts"),
        await user("POST", "/posts", {}),
      ]) {
        expect(answer.headers.get("content-type")).toMatch(/^application\/problem\+json/);
        expect(answer.body).toMatchObject({ status: answer.status, type: `/problems/${answer.body.code}` });
      }
    },
  "Resolve it against the URL of the request to get a page that explains the code.": async ({ as, url }) => {
    const { body } = await (await as())("GET", "/posts?limit=0");
    const page = await fetch(new URL(body.type, `${url}/posts?limit=0`));
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("validation_failed")]);
  },
  "**`errors`** lists the parts of the request that are not valid, each with a JSON Pointer (RFC 6901).": async ({ as }) => {
    const { body } = await (await as())("POST", "/posts", { title: "", nickname: "x" });
    const parts = body.errors.map((it: { in: string; pointer: string }) => `${it.in} ${it.pointer}`);
    expect([...new Set(parts)].sort()).toEqual(["body /body", "body /nickname", "body /title"]);
  },
  "It is left out if no part can be named: the body can't be read (`malformed_body`)": async ({ as }) => {
    const refused = await (await as())("POST", "/posts", "{", header("Content-Type", "application/json"));
    expect([outcome(refused), "errors" in refused.body]).toEqual(["400 malformed_body", false]);
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
  "Tokens in the query are not accepted.": async ({ as, nobody }) => {
    const key = (await as()).authorization!.replace("Bearer ", "");
    expect(outcome(await nobody("GET", `/account?access_token=${key}`))).toBe("401 unauthenticated");
  },
  "A token without it gets 403 `insufficient_scope`.": async ({ as }) => {
    const reader = await as(["posts:read"]);
    const refused = await reader("POST", "/posts", POST);
    expect(outcome(refused)).toBe("403 insufficient_scope");
    expect(refused.headers.get("www-authenticate")).toContain('scope="posts:write"');
  },
  "`GET /account` needs no scope and returns the scopes of your token.": async ({ as }) => {
    expect((await (await as([]))("GET", "/account")).body.scopes).toEqual([]);
    expect((await (await as(["urls:read", "posts:read"]))("GET", "/account")).body.scopes).toEqual(["posts:read", "urls:read"]);
  },
  "Following a short URL and checking health need no token.": async ({ as, nobody }) => {
    const { body } = await (await as())("POST", "/urls", { target_url: "https://example.com/" });
    expect((await nobody("GET", `/u/${body.id}`)).status).toBe(302);
    expect((await nobody("GET", "/health")).status).toBe(200);
  },
  "| short URLs, notifications, video uploads | their owner | 404, the same as for an unknown id |": async ({ as }) => {
    const [owner, other] = [await as(), await as()];
    const { body: url } = await owner("POST", "/urls", { target_url: "https://example.com/" });
    const { body: job } = await owner("POST", "/video-uploads", Buffer.from("not a video"));
    await openConversation(other, [owner]);
    const { body: list } = await owner("GET", "/notifications?kind=conversation.member_added");
    for (const [path, unknown] of [
      [`/urls/${url.id}`, "/urls/never-used"],
      [`/video-uploads/${job.id}`, `/video-uploads/${UNKNOWN}`],
      [`/notifications/${list.data[0].id}`, `/notifications/${UNKNOWN}`],
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
  "If several things are wrong with a request, you get the first of these errors:": async ({ as, nobody }) => {
    const [reader, stranger, owner] = [await as(["posts:read"]), await as(), await as()];
    const { path } = await publish(owner);
    const plain = header("Content-Type", "text/plain");
    expect(outcome(await nobody("PUT", "/posts", "x", plain))).toBe("405 method_not_allowed");
    expect(outcome(await nobody("PATCH", path, "x", plain))).toBe("401 unauthenticated");
    expect(outcome(await reader("PATCH", path, "x", plain))).toBe("403 insufficient_scope");
    expect(outcome(await stranger("PATCH", path, "x", plain))).toBe("415 unsupported_media_type");
    expect(outcome(await stranger("PATCH", path, {}))).toBe(INVALID);
    expect(outcome(await stranger("PATCH", path, { title: "Mine" }, header("If-Match", '"x"')))).toBe("403 not_the_author");
    expect(outcome(await owner("PATCH", path, { title: "Mine" }, header("If-Match", '"x"')))).toBe("412 precondition_failed");
  },
  "5. media type and size of the body: 415, 413": async ({ as }) => {
    const user = await as();
    const large = " ".repeat(200_000);
    expect((await user("POST", "/posts", large, header("Content-Type", "text/plain"))).status).toBe(415);
    expect((await user("POST", "/posts", large, header("Content-Type", "application/json"))).status).toBe(413);
  },
  "In a conversation, access is checked before a cursor, so 403 comes before 400 `invalid_cursor`.": async ({ as }) => {
    const [owner, stranger] = [await as(), await as()];
    const { messages } = await openConversation(owner, [await as()]);
    expect(outcome(await owner("GET", `${messages}?before=AAAA`))).toBe("400 invalid_cursor");
    expect(outcome(await stranger("GET", `${messages}?before=AAAA`))).toBe("403 not_a_member");
  },
  "Every response has an `API-Version`, which equals `info.version` of this document.": async ({ as, nobody }) => {
    for (const answer of [await (await as())("GET", "/posts"), await nobody("GET", "/posts"), await nobody("GET", "/health")])
      expect(answer.headers.get("api-version")).toBe(contract.info.version);
  },
  "The value of the `X-Request-Id` header of this response.": async ({ as }) => {
    const { headers, body } = await (await as())("GET", "/posts?limit=0");
    expect(headers.get("x-request-id")).toBe(body.request_id);
  },
  "The service always generates it and ignores a value that you send.": async ({ as }) => {
    const { headers } = await (await as())("GET", "/posts", undefined, header("X-Request-Id", UNKNOWN));
    expect(headers.get("x-request-id")).toMatch(UUID_V7);
    expect(headers.get("x-request-id")).not.toBe(UNKNOWN);
  },
  "Every response of an operation has `X-Content-Type-Options: nosniff` and a `Content-Security-Policy` that allows nothing.":
    async ({ as }) => {
      for (const path of ["/posts", `/posts/${UNKNOWN}`]) {
        const { headers } = await (await as())("GET", path);
        expect(headers.get("x-content-type-options")).toBe("nosniff");
        expect(headers.get("content-security-policy")).toContain("default-src 'none'");
      }
    },
  "The key is **required** to start a conversation and to send a message, and **optional** to create a short URL, a post or a video upload.":
    async ({ as }) => {
      const [user, other] = [await as(), await as()];
      const { messages } = await openConversation(user, [other]);
      expect(outcome(await user("POST", "/conversations", { member_ids: [other.userId] }))).toBe("400 idempotency_key_required");
      expect(outcome(await user("POST", messages, { body: "Hello" }))).toBe("400 idempotency_key_required");
      for (const options of [{}, withKey()]) {
        expect((await user("POST", "/urls", { target_url: "https://example.com/" }, options)).status).toBe(201);
        expect((await user("POST", "/posts", POST, options)).status).toBe(201);
        expect((await user("POST", "/video-uploads", Buffer.from("not a video"), options)).status).toBe(202);
      }
    },
};
