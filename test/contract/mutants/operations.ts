import { released } from "./copy.ts";
import { append, remove, rename, set } from "./edit.ts";
import { mutantsOf, type Mutant } from "./mutant.ts";

const POSTS = "posts/posts.yaml";
const POST = "posts/posts_{post_id}.yaml";
const MEMBER = "conversations/conversations_{conversationId}_members_{user_id}.yaml";
const URLS = "urls/urls.yaml";
const RESPONSES = "shared/responses.yaml";
type Tree = { readonly [key: string]: Tree };
const AUTHOR = JSON.stringify({ id: "019cad9d-67a0-7f04-a2cb-593947eaa099", display_name: "Mara Lindqvist", deleted: false });
/** The content of a response with a post. */
const OF_A_POST = JSON.parse(
  JSON.stringify((released as unknown as Tree)["paths"]!["/posts"]!["post"]!["responses"]!["201"]!["content"])
    .replace("#/components/schemas/Post", "../posts/schemas.yaml#/Post")
    .replace('"author_id":', `"author":${AUTHOR},"author_id":`),
) as unknown;
const MARK = { deprecated_at: "2026-12-01", sunset_at: "2027-06-15", link: "https://plumbline.example/changelog#2.0.0" };
const deprecated = (mark: object) => [set(POST, "get deprecated", true), set(POST, "get x-deprecation", mark)];

/** Mistakes for our own rules about operations: openapi/rules/operations.js and deprecation.js. */
export const operations: readonly Mutant[] = [
  ...mutantsOf("plumbline/nouns", { "a path with another noun": rename("openapi.yaml", "paths /posts", "/articles") }, [
    "plumbline/access",
  ]),
  ...mutantsOf("plumbline/path-parameters-first", {
    "a key before the id of the path": set("conversations/conversations_{conversationId}_messages.yaml", "post parameters", [
      { $ref: "../shared/parameters.yaml#/RequiredIdempotencyKey" },
      { $ref: "parameters.yaml#/ConversationId" },
    ]),
    "the ids of a path in another order": set(MEMBER, "put parameters", [
      { $ref: "parameters.yaml#/UserId" },
      { $ref: "parameters.yaml#/ConversationId" },
    ]),
    "a parameter for all methods of a path": [
      set(MEMBER, "parameters", [{ $ref: "parameters.yaml#/ConversationId" }, { $ref: "parameters.yaml#/UserId" }]),
      remove(MEMBER, "put parameters"),
      remove(MEMBER, "delete parameters"),
    ],
  }),
  ...mutantsOf("plumbline/outcomes", {
    "no 400 where there are parameters": remove(POSTS, "get responses 400"),
    "no 401 where a token is needed": remove(POSTS, "get responses 401"),
    "no 403 where a scope is needed": remove(POSTS, "get responses 403"),
    "no 404 where there is an id": remove("urls/u_{id}.yaml", "get responses 404"),
    "no 429 where there is a rate limit": remove(POSTS, "get responses 429"),
    "no 413 where there is a body": remove(POSTS, "post responses 413"),
    "no 415 where there is a body": remove(POSTS, "post responses 415"),
    "no 409 where there is an idempotency key": remove(POSTS, "post responses 409"),
    "no 422 where there is an idempotency key": remove(POSTS, "post responses 422"),
    "no 412 where there is If-Match": remove(POST, "patch responses 412"),
    "no 304 where there is If-None-Match": remove(POST, "get responses 304"),
    "no 500": remove(POSTS, "get responses 500"),
    "no 503": remove(POSTS, "get responses 503"),
    "a 503 of an operation that is always available": set("health/health.yaml", "get x-availability", "always"),
    "no default": remove(POSTS, "get responses default"),
    "a range of statuses": set("users/account.yaml", "get responses 2XX", {
      $ref: "../shared/responses.yaml#/NotModified",
    }),
    "a 200 where something is created": rename(POSTS, "post responses 201", "200"),
    "no success": remove("health/health.yaml", "get responses 200"),
  }),
  ...mutantsOf("plumbline/outcomes", { "a 201 where something is read": rename(POST, "get responses 200", "201") }, [
    "plumbline/headers",
  ]),
  ...mutantsOf("plumbline/headers", {
    "no request id": remove(RESPONSES, "Other headers X-Request-Id"),
    "no version": remove(RESPONSES, "Other headers API-Version"),
    "no Cache-Control": remove(RESPONSES, "Other headers Cache-Control"),
    "no rate limit headers": remove(RESPONSES, "Other headers RateLimit"),
    "a repeated header that every response has": set(POSTS, "get responses 200 headers RateLimit", {
      $ref: "../shared/headers.yaml#/RateLimit",
    }),
    "a list without Link": remove(POSTS, "get responses 200 headers Link"),
    "a 201 without Location": remove(POSTS, "post responses 201 headers Location"),
    "a 202 without Retry-After": remove("video-uploads/video-uploads.yaml", "post responses 202 headers Retry-After"),
    "a 401 without WWW-Authenticate": remove(RESPONSES, "Unauthenticated headers WWW-Authenticate"),
    "a 429 without Retry-After": remove(RESPONSES, "TooManyRequests headers Retry-After"),
    "a 503 without Retry-After": remove(RESPONSES, "Unavailable headers Retry-After"),
    "a 304 without ETag": remove(RESPONSES, "NotModified headers ETag"),
    "a keyed response without Idempotency-Replayed": remove(POSTS, "post responses 201 headers Idempotency-Replayed"),
    "an optional Location": remove("shared/headers.yaml", "Location required"),
  }),
  ...mutantsOf("plumbline/entity-tags", {
    "a created resource without the ETag of its GET": [
      remove(POSTS, "post responses 201 headers ETag"),
      remove(POSTS, "post responses 201 links update_post"),
    ],
    "a changed resource without the ETag of its GET": [
      set(MEMBER, "put responses 201 content", OF_A_POST),
      remove(MEMBER, "put responses 201 links remove_member"),
    ],
    "an accepted job without the ETag of its GET": remove("video-uploads/video-uploads.yaml", "post responses 202 headers ETag"),
  }),
  ...mutantsOf("plumbline/paged", {
    "a list without a page size": set(URLS, "get parameters", [{ $ref: "../shared/parameters.yaml#/After" }]),
    "a list without a cursor": set(URLS, "get parameters", [{ $ref: "../shared/parameters.yaml#/Limit" }]),
    "a page size without a default": remove("shared/parameters.yaml", "Limit schema default"),
    "a page whose next_cursor is optional": set("shared/schemas.yaml", "PageInfo required", ["limit"]),
    "a list with another name": set(POSTS, "get operationId", "getPosts"),
  }),
  ...mutantsOf("plumbline/access", {
    "no access rules": remove(POSTS, "get x-access"),
    "public access, but a required token": set(POSTS, "get x-access", { public: "allowed" }),
    "an outcome that the operation doesn't declare": set(POST, "get x-access stranger", "not_a_member"),
    "a token without a required scope": set(POSTS, "get security", [{ bearer_auth: [] }]),
    "a write scope for a read": set(POSTS, "get security", [{ bearer_auth: ["posts:write"] }]),
    "a read scope for a write": set(POST, "patch security", [{ bearer_auth: ["posts:read"] }]),
    "a scope of another area": set(POST, "get security", [{ bearer_auth: ["urls:read"] }]),
    "two scopes for one operation": set(POST, "delete security", [{ bearer_auth: ["posts:read", "posts:write"] }]),
    "a scope other than the one with a reason": set("video-uploads/video-uploads_{job_id}_transfer.yaml", "get security", [
      { bearer_auth: ["video_uploads:read"] },
    ]),
    "no rate limit for an operation with a token": set(POSTS, "get x-rate-limit", "none"),
    "the rate limit of reads for a creation": set(POSTS, "post x-rate-limit", "default"),
    "the rate limit of writes for a read": set(POSTS, "get x-rate-limit", "writes"),
    "an unknown rate limit": set(POSTS, "get x-rate-limit", "reads"),
    "an operation without its own security": remove("users/account.yaml", "get security"),
    "an unknown scope": set(POSTS, "get security", [{ bearer_auth: ["posts:list"] }]),
  }),
  ...mutantsOf("plumbline/links-resolve", {
    "a 201 without links": remove(POSTS, "post responses 201 links"),
    "a link to an unknown operation": set(POSTS, "post responses 201 links read_post operationId", "readPost"),
    "a link with an unknown field": set(POSTS, "post responses 201 links read_post parameters", {
      post_id: "$response.body#/idd",
    }),
    "a link with a field of a string": set(POSTS, "post responses 201 links read_post parameters", {
      post_id: "$response.body#/id/first",
    }),
    "a link with an optional field": set("posts/schemas.yaml", "Post required", ["author_id", "title", "body", "created_at"]),
    "a link with an unknown header": set(
      POSTS,
      "post responses 201 links update_post parameters If-Match",
      "$response.header.Etak",
    ),
    "a link with a parameter that the request doesn't have": set(
      MEMBER,
      "put responses 201 links read_members parameters conversationId",
      "$request.path.conversation_id",
    ),
    "a link with an unknown expression": set(POSTS, "post responses 201 links read_post parameters", {
      post_id: "$response.id",
    }),
    "a link with a URL instead of an id": set(
      "video-uploads/video-uploads.yaml",
      "post responses 202 links poll_job parameters",
      { job_id: "$response.header.Location" },
    ),
    "a link without parameters": set(POSTS, "post responses 201 links read_post parameters", {}),
    "a link with only one of two parameters": set(MEMBER, "put responses 201 links remove_member parameters", {
      user_id: "$response.body#/user_id",
    }),
    "a link with an unknown parameter": set(POSTS, "post responses 201 links read_post parameters", {
      id: "$response.body#/id",
    }),
  }),
  ...mutantsOf("plumbline/idempotency", {
    "a POST without an idempotency key": remove(POSTS, "post parameters"),
    "a key, and a reason for having none": set(POSTS, "post x-no-idempotency-key", "Posting twice is what people want."),
  }),
  ...mutantsOf(
    "plumbline/idempotency",
    {
      "a key on an idempotent operation": append(MEMBER, "put parameters", {
        $ref: "../shared/parameters.yaml#/IdempotencyKey",
      }),
    },
    ["plumbline/headers"],
  ),
  ...mutantsOf("plumbline/deprecation", {
    "deprecated without x-deprecation": set(POST, "get deprecated", true),
    "x-deprecation without deprecated": set(POST, "get x-deprecation", MARK),
    "a sunset that is too soon": deprecated({ ...MARK, sunset_at: "2027-05-29" }),
    "a date in another format": deprecated({ ...MARK, deprecated_at: "1 December 2026" }),
    "no link about the deprecation": deprecated({ deprecated_at: MARK.deprecated_at, sunset_at: MARK.sunset_at }),
    "a misspelt key": deprecated({ ...MARK, sunset: "2027-06-15" }),
  }),
  ...mutantsOf("plumbline/stability", {
    "an unknown value": set(POST, "get x-stability", "beta"),
    "x-stability: stable": set(POST, "get x-stability", "stable"),
    "x-stability in a schema": set("posts/schemas.yaml", "Post x-stability", "experimental"),
    "a parameter with an unknown value": set("shared/parameters.yaml", "Limit x-stability", true),
  }),
];
