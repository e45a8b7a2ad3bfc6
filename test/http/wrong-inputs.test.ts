import { describe, expect, it } from "@jest/globals";
import { prepare } from "../support/prepare.ts";
import { startWithHandlers } from "../support/stub-handlers.ts";

const ID = "01a1efac-3ed3-7e8e-9855-dcb0c0290103";
const CONVERSATION = { member_ids: [ID] };
const POST = { title: "A plumb line", body: "Everything else could be measured afterwards." };
const KEY = { "Idempotency-Key": "wrong-inputs" };

/** An invalid request for each kind of input error, and all errors in the response, as `place pointer code: detail`. */
type Row = readonly [request: string, body: unknown, errors: string, headers?: Readonly<Record<string, string>>];
const WRONG: readonly Row[] = [
  ["POST /posts", { title: "T" }, "body /body required: body is required."],
  ["POST /posts", {}, "body /title required: title is required. & body /body required: body is required."],
  ["POST /posts", { ...POST, x: 1 }, "body /x additionalProperties: x is unknown."],
  ["POST /posts", { ...POST, "": 1 }, 'body / additionalProperties: "" is unknown.'],
  ["POST /posts", { ...POST, title: 1 }, "body /title type: title must be string."],
  ["POST /posts", [], "body  type: The body must be object."],
  ["POST /conversations", { member_ids: ID }, "body /member_ids type: member_ids must be array.", KEY],
  ["POST /conversations", { member_ids: [ID, 1] }, "body /member_ids/1 type: member_ids/1 must be string.", KEY],
  ["POST /urls", { target_url: "https://www.example.com", expires_at: 1 }, "body /expires_at type: expires_at must be string."],
  [
    "POST /posts",
    { ...POST, title: "" },
    "body /title minLength: title must not be empty. & body /title pattern: title must have something visible.",
  ],
  [
    "POST /urls",
    { target_url: "https://" },
    "body /target_url minLength: target_url must have at least 10 characters. & body /target_url pattern: target_url does not have the required format.",
  ],
  ["POST /posts", { ...POST, title: "a".repeat(201) }, "body /title maxLength: title must have at most 200 characters."],
  ["POST /posts", { ...POST, title: "\n" }, "body /title pattern: title must have something visible."],
  ["POST /posts", { ...POST, title: "a\x07" }, "body /title pattern: title must be a single line: remove U+0007 at character 2."],
  ["GET /users?name=%E3%80%80ab", undefined, "query /name pattern: name must not begin with U+3000."],
  ["POST /urls", { target_url: "https://[www.example.com" }, "body /target_url format: target_url must be a valid uri."],
  ...(
    [
      ["https://shop.example/list?mod[colour][n]=17", '"[" at character 30 as %5B'],
      ["https://shop.example/?foo=|&bar=", '"|" at character 27 as %7C'],
      ["https://shop.example/?x={y}", '"{" at character 25 as %7B'],
      ["https://shop.example/100%", '"%" at character 25 as %25'],
      ["https://shop.example/a#b#c", '"#" at character 25 as %23'],
      ["https://shop.example/\u{1f6e0}/ü", '"\u{1f6e0}" at character 22 as %F0%9F%9B%A0'],
      ["https://müller.example/", '"ü" at character 10 in Punycode'],
    ] as const
  ).map(
    ([target_url, advice]) =>
      ["POST /urls", { target_url }, `body /target_url format: target_url must be a valid uri: write ${advice}.`] as const,
  ),
  [
    "POST /urls",
    { target_url: "https://www.example.com", expires_at: "2027-02-30T00:00:00Z" },
    "body /expires_at format: expires_at must be a valid date-time.",
  ],
  ["POST /conversations", { member_ids: ["1"] }, "body /member_ids/0 format: member_ids/0 must be a valid uuid.", KEY],
  ["POST /conversations", { member_ids: [] }, "body /member_ids minItems: member_ids must have at least 1 items.", KEY],
  [
    "POST /conversations",
    { member_ids: Array.from({ length: 100 }, (_, at) => ID.slice(0, -3) + String(100 + at)) },
    "body /member_ids maxItems: member_ids must have at most 99 items.",
    KEY,
  ],
  ["POST /conversations", { member_ids: [ID, ID] }, "body /member_ids uniqueItems: member_ids must not have equal items.", KEY],
  [`PATCH /posts/${ID}`, {}, "body  minProperties: The body must have at least 1 field."],
  [`PATCH /notifications/${ID}`, { status: "x" }, "body /status enum: status must be one of unread, read."],
  ["GET /posts?limit=0", undefined, "query /limit minimum: limit must be at least 1."],
  ["GET /posts?limit=101", undefined, "query /limit maximum: limit must be at most 100."],
  ["GET /posts?offset=-1", undefined, "query /offset minimum: offset must be at least 0."],
  ["GET /posts?limit=x", undefined, "query /limit type: limit must be an integer in plain digits."],
  ["GET /posts?limit=", undefined, "query /limit type: limit must be an integer in plain digits."],
  ["GET /posts?author=", undefined, "query /author minLength: author must not be empty."],
  [`GET /posts?author=${ID}&author=${ID}`, undefined, "query /author type: author must be string."],
  ["GET /posts?x=1", undefined, "query /x additionalProperties: x is unknown."],
  ["GET /posts?author=a:b", undefined, "query /author format: author must be a valid uuid."],
  [`GET /posts?author=${ID},${ID}`, undefined, "query /author format: author must be a valid uuid."],
  ["GET /posts?sort=x", undefined, "query /sort enum: sort must be one of -created_at, created_at."],
  ["GET /posts?sort=+created_at", undefined, "query /sort enum: sort must be one of -created_at, created_at."],
  ["GET /posts?limit=+5", undefined, "query /limit type: limit must be an integer in plain digits."],
  [
    "GET /urls/boathouse-doors/clicks?from=2026-11-28T00:00:00Z",
    undefined,
    "query /from maxLength: from must have at most 10 characters. & query /from pattern: from does not have the required format.",
  ],
  ["GET /posts?after=a%3D", undefined, "query /after pattern: after does not have the required format."],
  ["GET /posts/x", undefined, "path /post_id format: post_id must be a valid uuid."],
  [
    "GET /posts/01A1EFAC-3ED3-7E8E-9855-DCB0C0290103",
    undefined,
    "path /post_id format: post_id must be a valid uuid, which has lower-case letters.",
  ],
  [
    `GET /video-uploads/${ID}/renditions/${"a".repeat(21)}`,
    undefined,
    "path /name maxLength: name must have at most 20 characters.",
  ],
  ["POST /conversations", CONVERSATION, "header /idempotency-key required: Idempotency-Key is required."],
  [
    "POST /conversations",
    CONVERSATION,
    "header /idempotency-key minLength: Idempotency-Key must have at least 8 characters. & header /idempotency-key pattern: Idempotency-Key does not have the required format.",
    { "Idempotency-Key": "short" },
  ],
  [
    "POST /conversations",
    CONVERSATION,
    "header /idempotency-key maxLength: Idempotency-Key must have at most 130 characters. & header /idempotency-key pattern: Idempotency-Key does not have the required format.",
    { "Idempotency-Key": "a".repeat(131) },
  ],
  [
    "POST /video-uploads?name=clip.mp4",
    POST,
    "header /upload-complete enum: Upload-Complete must be one of ?0, ?1.",
    { "Upload-Complete": "1", "Content-Type": "video/mp4" },
  ],
];

const stubbed = prepare(() => startWithHandlers(() => Promise.reject(new Error("An invalid input reached a handler."))));

/**
 * The messages derive from the validator's keyword and the contract. src/http/validation/README.md says which parts of the
 * validator we rely on.
 */
describe("an invalid input", () => {
  it.each(WRONG)("gets 400 in our own words: %s %j gets %s", async (request, body, errors, headers = {}) => {
    const [method, path] = request.split(" ") as [string, string];
    const answer = await stubbed.caller(method, path, body, { headers });
    type InputError = Readonly<Record<"in" | "pointer" | "code" | "detail", string>>;
    const got = (answer.body.errors as readonly InputError[]).map((it) => `${it.in} ${it.pointer} ${it.code}: ${it.detail}`);
    expect([answer.status, got.join(" & ")]).toEqual([400, errors]);
  });
});
