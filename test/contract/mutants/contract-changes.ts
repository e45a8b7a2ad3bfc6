import { released } from "./copy.ts";
import { append, last, remove, rename, set, type Edit, type Node } from "./edit.ts";

export type Verdict = "none" | "patch" | "minor" | "major";

/** A change of the released contract, and its rating in COMPATIBILITY.md. */
export type ContractChange = {
  readonly name: string;
  readonly verdict: Verdict;
  /** The subjects that a report must name. A change that the report must not mention has none. */
  readonly subjects: readonly string[];
  readonly edits: readonly Edit[];
};

const BUNDLE = "released/1.0.0.json";
const to = (at: string, value: unknown) => set(BUNDLE, at, value);
const without = (at: string) => remove(BUNDLE, at);
const adding = (at: string, value: unknown) => append(BUNDLE, at, value);
const renamed = (at: string, name: string) => rename(BUNDLE, at, name);
const moved = (at: string) => last(BUNDLE, at);
/** The node of the released contract at a path. */
const nodeOf = (at: string): Node =>
  structuredClone(at.split(" ").reduce<unknown>((it, key) => (it as Node)[key], released)) as Node;
const listAt = (at: string) => nodeOf(at) as unknown as readonly Node[];
const renamedRef = (at: string, from: string, name: string): unknown =>
  JSON.parse(JSON.stringify(nodeOf(at)).replaceAll(`#/components/${from}"`, `#/components/${name}"`));
const schema = (name: string, rest: string) => `components schemas ${name} ${rest}`;

type Rows = Readonly<Record<string, readonly [subjects: string | readonly string[], ...edits: readonly Edit[]]>>;
const rated = (verdict: Verdict, rows: Rows): ContractChange[] =>
  Object.entries(rows).map(([name, [subjects, ...edits]]) => ({
    name,
    verdict,
    subjects: typeof subjects === "string" ? [subjects] : subjects,
    edits,
  }));

const LABEL = { type: "string", description: "The text of the label.", maxLength: 40, pattern: "^[a-z]+$" };
const ANSWER = { description: "It is done.", headers: {} };
const NEW_OPERATION = {
  operationId: "getArchive",
  summary: "Read the archive",
  description: "What was there.",
  security: [],
  responses: { 200: ANSWER },
};
const MARK = { deprecated_at: "2026-12-01", sunset_at: "2027-06-15", link: "https://plumbline.example/changelog#2.0.0" };
const UUID = nodeOf("components schemas Uuid");
const MEMBER_ROLE = nodeOf("components schemas MemberRole");
const VIDEO_FAILURE = nodeOf("components schemas VideoFailure");
const DETAIL = nodeOf("components schemas Problem properties detail");
const header = (name: string) => ({ description: "Something to know.", schema: LABEL, example: name });

/** Changes that no program notices, or only a reader. */
export const words: readonly ContractChange[] = [
  ...rated("none", {
    nothing: [[]],
    "keys in another order": [[], moved("paths /posts get"), moved(schema("Post", "type")), moved("components schemas Post")],
    "only another version": [[], to("info version", "1.0.1")],
    "a component other than a schema has another name": [
      [],
      renamed("components parameters Offset", "Skipped"),
      to("paths /posts get parameters", renamedRef("paths /posts get parameters", "parameters/Offset", "parameters/Skipped")),
    ],
    "parameters in another order": [[], to("paths /urls get parameters", [...listAt("paths /urls get parameters")].reverse())],
  }),
  ...rated("patch", {
    "an operation has a better description": ["`GET /posts`", to("paths /posts get description", "The posts of everybody.")],
    "an operation has another title": ["`POST /posts`", to("paths /posts post summary", "Write a post")],
    "a field has a better description": [
      "schema `Post`",
      to(schema("Post", "properties title description"), "What it is called."),
    ],
    "a link has a better description": [
      "`POST /posts`",
      to("paths /posts post responses 201 links read_post description", "See it."),
    ],
    "a parameter has a better description": [
      "parameter `limit`",
      to("components parameters Limit description", "How many at most."),
    ],
    "another example": [
      "`GET /account`",
      to("paths /account get responses 200 content application/json examples api_key value display_name", "Grace"),
    ],
    "a problem has another title": ["problem `gone`", to(schema("ProblemCode", "x-problems gone title"), "It is gone")],
    "a problem has a better remedy": [
      "problem `rate_limited`",
      to(schema("ProblemCode", "x-problems rate_limited remedy"), "Wait."),
    ],
    "the API has a better description": ["the document", to("info description", "Five things over HTTP.")],
  }),
];

/** Changes that every client accepts: section 2 of COMPATIBILITY.md. */
export const compatible: readonly ContractChange[] = rated("minor", {
  "a new operation": ["`PUT /posts`", to("paths /posts put", NEW_OPERATION)],
  "a new path": ["`GET /archive`", to("paths /archive", { get: NEW_OPERATION })],
  "a new optional parameter": [
    "`GET /posts`",
    adding("paths /posts get parameters", { name: "label", in: "query", schema: LABEL }),
  ],
  "a new optional request header": [
    "`GET /account`",
    to("paths /account get parameters", [{ name: "Prefer", in: "header", schema: LABEL }]),
  ],
  "a new optional field of a request": ["schema `CreatePostRequest`", to(schema("CreatePostRequest", "properties label"), LABEL)],
  "a field of a request becomes optional": ["schema `CreateUrlRequest`", to(schema("CreateUrlRequest", "required"), [])],
  "a parameter becomes optional": [
    "parameter `Idempotency-Key`",
    to("components parameters RequiredIdempotencyKey required", false),
  ],
  "a body becomes optional": ["`PATCH /posts/{post_id}`", to("paths /posts/{post_id} patch requestBody required", false)],
  "a longer string in a request": [
    "schema `UpdatePostRequest`",
    to(schema("UpdatePostRequest", "properties title maxLength"), 300),
  ],
  "a shorter string in a request": [
    "schema `CreateMessageRequest`",
    to(schema("CreateMessageRequest", "properties body minLength"), 0),
  ],
  "a higher maximum page size": ["parameter `limit`", to("components parameters Limit schema maximum", 200)],
  "a new value of a request": [
    "schema `SortOrder`",
    to("components schemas SortOrder enum", ["-created_at", "created_at", "title"]),
  ],
  "a request that accepts unknown fields": [
    "schema `CreateConversationRequest`",
    without(schema("CreateConversationRequest", "additionalProperties")),
  ],
  "a new field of a response": ["schema `Post`", to(schema("Post", "properties label"), LABEL)],
  "a new required field of a response": [
    "schema `Url`",
    to(schema("Url", "properties label"), LABEL),
    adding(schema("Url", "required"), "label"),
  ],
  "a new header of a response": ["`POST /posts`", to("paths /posts post responses 201 headers Server-Timing", header("fast"))],
  "a header becomes required": ["header `CacheControl`", to("components headers CacheControl required", true)],
  "a longer string in a response, as announced": ["schema `Post`", to(schema("Post", "properties body maxLength"), 20_000)],
  "a larger number in a response, as announced": [
    "schema `Conversation`",
    to(schema("Conversation", "properties member_count maximum"), 1000),
  ],
  "a limit in a response can no longer grow": [
    "schema `Member`",
    without(schema("Member", "properties display_name x-may-grow")),
  ],
  "a shorter string in a response": ["schema `Message`", to(schema("Message", "properties body maxLength"), 3000)],
  "a smaller number in a response": ["schema `Conversation`", to(schema("Conversation", "properties member_count maximum"), 50)],
  "a field is no longer null": ["schema `VideoProgress`", to(schema("VideoProgress", "properties stage type"), "string")],
  "a string is no longer null": ["schema `VideoUpload`", to(schema("VideoUpload", "properties name type"), "string")],
  "a new value of an open set": [
    "schema `VideoFailureCode`",
    adding(schema("VideoFailureCode", "x-extensible-enum"), "too_large"),
  ],
  "a new scope": ["schema `Scope`", adding(schema("Scope", "x-extensible-enum"), "posts:admin")],
  "a new problem code": [
    "schema `ProblemCode`",
    adding(schema("ProblemCode", "x-extensible-enum"), "too_bad"),
    to(schema("ProblemCode", "x-problems too_bad"), {
      status: 400,
      title: "Too bad",
      meaning: "The cause is unknown.",
      remedy: "Give up.",
    }),
  ],
  "a problem code in another response": [
    "`POST /conversations`, `POST /conversations/{conversationId}/messages`, `POST /posts`",
    adding("components responses IdempotencyInProgress x-problem-codes", "not_ready"),
  ],
  "a new error status": [
    "`DELETE /posts/{post_id}`",
    to("paths /posts/{post_id} delete responses 423", {
      ...ANSWER,
      content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
    }),
  ],
  "a new 304 for conditional requests": ["`GET /urls`", to("paths /urls get responses 304", ANSWER)],
  "more access for a principal": [
    "`GET /conversations/{conversationId}`",
    to("paths /conversations/{conversationId} get x-access stranger", "allowed"),
  ],
  "constants in another order, with their names": [
    "schema `SortOrder`",
    to(schema("SortOrder", "enum"), ["created_at", "-created_at"]),
    to(schema("SortOrder", "x-enum-varnames"), ["OldestFirst", "NewestFirst"]),
  ],
  "a higher rate limit": [
    "`POST /conversations/{conversationId}/messages`",
    to("paths /conversations/{conversationId}/messages post x-rate-limit", "default"),
  ],
  "no rate limit anymore": ["`GET /u/{id}`", to("paths /u/{id} get x-rate-limit", "none")],
  "a new tag": ["tag `Archives`", adding("tags", { name: "Archives", description: "What was there." })],
  "a string with some known values": [
    "schema `CreateUrlRequest`",
    to(schema("CreateUrlRequest", "properties target_url x-extensible-enum"), ["https://example.com"]),
  ],
  "a field of a response that clients don't send": [
    "schema `PageInfo`",
    to(schema("PageInfo", "properties next_cursor readOnly"), true),
  ],
  "unknown query parameters are ignored": [
    "`GET /conversations/{conversationId}/members`",
    to("paths /conversations/{conversationId}/members get x-unknown-query", "ignored"),
  ],
  "a new link": [
    "`POST /conversations`",
    to("paths /conversations post responses 201 links read_account", {
      operationId: "getAccount",
      description: "See who you are.",
    }),
  ],
  "an operation is deprecated": [
    "`GET /health`",
    to("paths /health get deprecated", true),
    to("paths /health get x-deprecation", MARK),
    to("paths /health get responses 200 headers Sunset", header("later")),
  ],
  "an experimental operation is removed": [
    "`DELETE /video-uploads/{job_id}/transfer`",
    without("paths /video-uploads/{job_id}/transfer delete"),
  ],
  "an experimental operation requires another header": [
    "`PATCH /video-uploads/{job_id}/transfer`",
    adding("paths /video-uploads/{job_id}/transfer patch parameters", {
      name: "Upload-Part",
      in: "header",
      required: true,
      schema: LABEL,
    }),
  ],
  "an experimental parameter of a stable operation is stricter": [
    "parameter `Upload-Length`",
    to("components parameters UploadLength schema maxLength", 5),
  ],
  "an experimental response of a stable operation is removed": [
    "`POST /video-uploads`",
    without("paths /video-uploads post responses 204"),
  ],
  "a component that only experimental parts use": [
    "header `UploadOffset`",
    to("components headers UploadOffset required", false),
  ],
  "an experimental operation becomes stable": [
    "`GET /video-uploads/{job_id}/transfer`",
    without("paths /video-uploads/{job_id}/transfer get x-stability"),
  ],
  "a parameter is deprecated": ["parameter `offset`", to("components parameters Offset deprecated", true)],
});

/** Changes that break some clients: section 3 of COMPATIBILITY.md. */
export const breaking: readonly ContractChange[] = [
  ...rated("major", {
    "an operation is removed": ["`DELETE /posts/{post_id}`", without("paths /posts/{post_id} delete")],
    "a path is removed": ["`GET /health`", without("paths /health")],
    "a stable operation becomes experimental": [
      "`PATCH /posts/{post_id}`",
      to("paths /posts/{post_id} patch x-stability", "experimental"),
    ],
    "a stable parameter of an operation becomes experimental": [
      "`GET /posts`",
      to("components parameters Offset x-stability", "experimental"),
    ],
    "an operation has another id": ["`GET /account`", to("paths /account get operationId", "getMe")],
    "a parameter is removed": ["`GET /posts`", to("paths /posts get parameters", [{ $ref: "#/components/parameters/Limit" }])],
    "a query parameter has another name": [
      "`GET /urls`",
      to("paths /urls get parameters", [{ name: "state", in: "query", schema: LABEL }]),
    ],
    "a path parameter has another name": [
      ["path `/posts/{post_id}`", "parameter `id`"],
      renamed("paths /posts/{post_id}", "/posts/{id}"),
      to("components parameters PostId name", "id"),
    ],
    "a field of a response is removed": ["schema `Post`", without(schema("Post", "properties title"))],
    "a field of a response has another name": ["schema `Url`", renamed(schema("Url", "properties click_count"), "clicks")],
    "a field of a response becomes optional": ["schema `Message`", to(schema("Message", "required"), ["id"])],
    "a field of a response can be null": [
      "schema `Conversation`",
      to(schema("Conversation", "properties created_by"), {
        oneOf: [{ $ref: "#/components/schemas/Uuid" }, { type: "null" }],
        description: "The user of the conversation.",
      }),
    ],
    "a string in a response can be null": [
      "schema `Account`",
      to(schema("Account", "properties display_name type"), ["string", "null"]),
    ],
    "a header of a response is removed": ["`POST /posts`", without("paths /posts post responses 201 headers Location")],
    "a header of a response becomes optional": ["header `Location`", to("components headers Location required", false)],
    "a link is removed": ["`POST /urls`", without("paths /urls post responses 201 links")],
    "a link passes another value": [
      "`POST /posts`",
      to("paths /posts post responses 201 links read_post parameters post_id", "$response.body#/author_id"),
    ],
    "a link passes one more parameter": [
      "`POST /conversations/{conversationId}/messages`",
      to("paths /conversations/{conversationId}/messages post responses 201 links read_messages parameters limit", 1),
    ],
    "a link leads to another operation": [
      "`POST /conversations`",
      to("paths /conversations post responses 201 links read_conversation operationId", "listMembers"),
    ],
    "an operation has another tag": ["`GET /u/{id}`", to("paths /u/{id} get tags", ["Service"])],
    "a tag has another name": [
      ["tag `Service`", "tag `Operations`", "`GET /account`", "`GET /health`"],
      to(
        "tags",
        listAt("tags").map((it) => (it["name"] === "Service" ? { ...it, name: "Operations" } : it)),
      ),
      to("paths /account get tags", ["Operations"]),
      to("paths /health get tags", ["Operations"]),
    ],
    "a schema has another name": [
      ["schema `MemberRole`", "schema `Role`"],
      renamed("components schemas MemberRole", "Role"),
      to(schema("Member", "properties role $ref"), "#/components/schemas/Role"),
    ],
    "a schema with fields has another name": [
      ["schema `PostPageInfo`"],
      renamed("components schemas PostPageInfo", "PostInfo"),
      to(schema("PostPage", "properties page $ref"), "#/components/schemas/PostInfo"),
    ],
    "a schema with the same content and another name": [
      ["schema `Post`", "schema `UserId`"],
      to("components schemas UserId", UUID),
      to(schema("Post", "properties author_id $ref"), "#/components/schemas/UserId"),
    ],
    "a schema becomes inline": ["schema `Member`", to(schema("Member", "properties role"), MEMBER_ROLE)],
    "a schema becomes inline next to null": [
      "schema `VideoUpload`",
      to(schema("VideoUpload", "properties error oneOf"), [{ type: "null" }, VIDEO_FAILURE]),
    ],
    "an inline schema gets a name": [
      ["schema `Problem`", "schema `Detail`"],
      to("components schemas Detail", DETAIL),
      to(schema("Problem", "properties detail"), { $ref: "#/components/schemas/Detail", description: DETAIL["description"] }),
    ],
    "constants with other names": ["schema `SortOrder`", to(schema("SortOrder", "x-enum-varnames"), ["Newest", "OldestFirst"])],
    "constants that swap their names": ["schema `SortOrder`", to(schema("SortOrder", "enum"), ["created_at", "-created_at"])],
    "constants without names": ["schema `SortOrder`", without(schema("SortOrder", "x-enum-varnames"))],
    "unnamed constants get names": ["schema `MemberRole`", to(schema("MemberRole", "x-enum-varnames"), ["First", "Other"])],
    "a field of a request becomes read-only": [
      "schema `CreateMessageRequest`",
      to(schema("CreateMessageRequest", "properties body readOnly"), true),
    ],
    "a lower rate limit": [
      "`GET /conversations/{conversationId}/members`",
      to("paths /conversations/{conversationId}/members get x-rate-limit", "writes"),
    ],
    "the lowest rate limit": ["`PATCH /posts/{post_id}`", to("paths /posts/{post_id} patch x-rate-limit", "uploads")],
    "a new rate limit": ["`GET /health`", to("paths /health get x-rate-limit", "follow")],
    "a rate limit per address instead of per user": ["`GET /urls`", to("paths /urls get x-rate-limit", "follow")],
    "a rate limit per user instead of per address": ["`GET /u/{id}`", to("paths /u/{id} get x-rate-limit", "default")],
    "a new required parameter": [
      "`GET /video-uploads/{job_id}`",
      adding("paths /video-uploads/{job_id} get parameters", { name: "label", in: "query", required: true, schema: LABEL }),
    ],
    "a parameter becomes required": ["parameter `If-Match`", to("components parameters IfMatch required", true)],
    "a new required field of a request": [
      "schema `CreatePostRequest`",
      to(schema("CreatePostRequest", "properties label"), LABEL),
      adding(schema("CreatePostRequest", "required"), "label"),
    ],
    "a field of a request becomes required": ["schema `CreateUrlRequest`", adding(schema("CreateUrlRequest", "required"), "id")],
    "a new required body": [
      "`PUT /conversations/{conversationId}/members/{user_id}`",
      to("paths /conversations/{conversationId}/members/{user_id} put requestBody", {
        required: true,
        content: { "application/json": { schema: { $ref: "#/components/schemas/CreatePostRequest" } } },
      }),
    ],
    "a shorter string in a request": [
      "schema `UpdatePostRequest`",
      to(schema("UpdatePostRequest", "properties title maxLength"), 100),
    ],
    "a longer string in a request": [
      "schema `CreateMessageRequest`",
      to(schema("CreateMessageRequest", "properties body minLength"), 10),
    ],
    "another pattern in a request": [
      "schema `CreateConversationRequest`",
      to(schema("CreateConversationRequest", "properties title pattern"), "^[a-z]+$"),
    ],
    "shorter ids": ["schema `UrlId`", to(schema("UrlId", "maxLength"), 32)],
    "a lower maximum page size": ["parameter `limit`", to("components parameters Limit schema maximum", 50)],
    "a value of a request is removed": ["schema `SortOrder`", to("components schemas SortOrder enum", ["-created_at"])],
    "a request body of another media type": [
      "`POST /conversations`",
      renamed("paths /conversations post requestBody content application/json", "application/xml"),
    ],
    "unknown query parameters are rejected": ["`GET /u/{id}`", without("paths /u/{id} get x-unknown-query")],
  }),
  ...rated("major", {
    "another page size": ["parameter `limit`", to("components parameters Limit schema default", 50)],
    "another order": ["parameter `sort`", to("components parameters Sort schema default", "created_at")],
    "a longer string in a response": ["schema `Credential`", to(schema("Credential", "properties kind maxLength"), 300)],
    "a larger number in a response": ["schema `VideoProgress`", to(schema("VideoProgress", "properties percent maximum"), 1000)],
    "a longer string in a response with another pattern, if only the length can grow": [
      "schema `Message`",
      to(schema("Message", "properties body pattern"), "^[a-z]+$"),
      to(schema("Message", "properties body maxLength"), 5000),
    ],
    "a string in a response without its limit": ["schema `Post`", without(schema("Post", "properties title maxLength"))],
    "a limit in a response can grow from now on": [
      "schema `VideoFailure`",
      to(schema("VideoFailure", "properties detail x-may-grow"), true),
    ],
    "an integer in a response becomes a number": [
      "schema `PostPageInfo`",
      to(schema("PostPageInfo", "properties limit type"), "number"),
    ],
    "longer lists in a response": ["schema `PostPage`", to(schema("PostPage", "properties data maxItems"), 500)],
    "longer ids": ["schema `UrlId`", to(schema("UrlId", "maxLength"), 100)],
    "a new value of a closed set": ["schema `VideoUploadStatus`", adding(schema("VideoUploadStatus", "enum"), "paused")],
    "a closed set is opened": ["schema `MemberRole`", renamed(schema("MemberRole", "enum"), "x-extensible-enum")],
    "an open set is closed": ["schema `VideoFailureCode`", renamed(schema("VideoFailureCode", "x-extensible-enum"), "enum")],
    "an open set becomes a plain type": ["schema `VideoFailureCode`", without(schema("VideoFailureCode", "x-extensible-enum"))],
    "an open set of a field becomes a plain type": [
      "schema `Credential`",
      without(schema("Credential", "properties kind x-extensible-enum")),
    ],
    "a field of a response becomes write-only": ["schema `Post`", to(schema("Post", "properties title writeOnly"), true)],
    "an open set loses a value": ["schema `VideoFailureCode`", to(schema("VideoFailureCode", "x-extensible-enum"), ["too_long"])],
    "another type": ["schema `Url`", to(schema("Url", "properties click_count type"), "string")],
    "another format": ["schema `Timestamp`", to(schema("Timestamp", "format"), "date")],
    "a response that can't get new fields": ["schema `Message`", to(schema("Message", "additionalProperties"), false)],
    "a response of another media type": [
      "`GET /account`",
      renamed("paths /account get responses 200 content application/json", "application/xml"),
    ],
    "another status for success": ["`POST /posts`", renamed("paths /posts post responses 201", "200")],
    "a second status for success": ["`POST /urls`", to("paths /urls post responses 200", ANSWER)],
    "an error status is removed": ["`GET /posts/{post_id}`", without("paths /posts/{post_id} get responses 404")],
    "a problem code is no longer used": [
      "`GET /urls`, `GET /notifications`, `GET /video-uploads` and 2 more",
      to("components responses InvalidPage x-problem-codes", ["validation_failed"]),
    ],
    "a problem code is removed": [
      "schema `ProblemCode`",
      without(schema("ProblemCode", "x-problems gone")),
      to(schema("ProblemCode", "x-extensible-enum"), ["validation_failed"]),
    ],
    "a problem code has another status": [
      "problem `rate_limited`",
      to(schema("ProblemCode", "x-problems rate_limited status"), 503),
    ],
    "another scope": ["`GET /posts`", to("paths /posts get security", [{ bearer_auth: ["posts:write"] }])],
    "another kind of token": [
      "`PATCH /posts/{post_id}`",
      to("paths /posts/{post_id} patch security", [{ api_key: ["posts:write"] }]),
    ],
    "no token is required anymore": ["`GET /urls`", to("paths /urls get security", [])],
    "a token becomes required": ["`GET /health`", to("paths /health get security", [{ bearer_auth: [] }])],
    "less access for a principal": [
      "`GET /conversations/{conversationId}`",
      to("paths /conversations/{conversationId} get x-access member", "not_the_owner"),
    ],
    "another error for a principal": [
      "`DELETE /posts/{post_id}`",
      to("paths /posts/{post_id} delete x-access stranger", "not_found"),
    ],
    "another server": ["the document", to("servers", [{ url: "/v2", description: "The next one." }])],
    "another way to authenticate": ["`bearer_auth`", to("components securitySchemes bearer_auth scheme", "basic")],
  }),
];
