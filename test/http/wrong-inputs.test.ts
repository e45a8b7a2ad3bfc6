import { describe, expect, it } from "@jest/globals";
import { prepare } from "../support/prepare.ts";
import { startWithHandlers } from "../support/stub-handlers.ts";

const ID = "01a1efac-3ed3-7e8e-9855-dcb0c0290103";
const CONVERSATION = { member_ids: [ID] };
const POST = { title: "A plumb line", body: "Everything else could be measured afterwards." };
const KEY = { "Idempotency-Key": "wrong-inputs" };

type Wrong = readonly [request: string, body?: object | undefined, headers?: Readonly<Record<string, string>>];
type Errors = readonly (readonly [location: string, code: string, detail: string])[];

/** An invalid request for each kind of input error, and all errors in the response. */
const WRONG: Readonly<Record<string, readonly [Wrong, ...Errors]>> = {
  "a missing field": [
    ["POST /posts", { title: "T" }],
    ["body /body", "required", "body is required."],
  ],
  "every field is missing": [
    ["POST /posts", {}],
    ["body /title", "required", "title is required."],
    ["body /body", "required", "body is required."],
  ],
  "an unknown field": [
    ["POST /posts", { ...POST, x: 1 }],
    ["body /x", "additionalProperties", "x is unknown."],
  ],
  "a field without a name": [
    ["POST /posts", { ...POST, "": 1 }],
    ["body /", "additionalProperties", '"" is unknown.'],
  ],
  "a number instead of a string": [
    ["POST /posts", { ...POST, title: 1 }],
    ["body /title", "type", "title must be string."],
  ],
  "a list instead of an object": [
    ["POST /posts", []],
    ["body ", "type", "The body must be object."],
  ],
  "a string instead of a list": [
    ["POST /conversations", { member_ids: ID }, KEY],
    ["body /member_ids", "type", "member_ids must be array."],
  ],
  "a number in a list": [
    ["POST /conversations", { member_ids: [ID, 1] }, KEY],
    ["body /member_ids/1", "type", "member_ids/1 must be string."],
  ],
  "a number instead of a timestamp": [
    ["POST /urls", { target_url: "https://www.example.com", expires_at: 1 }],
    ["body /expires_at", "type", "expires_at must be string."],
  ],
  "an empty string": [
    ["POST /posts", { ...POST, title: "" }],
    ["body /title", "minLength", "title must not be empty."],
    ["body /title", "pattern", "title does not have the required format."],
  ],
  "a short string": [
    ["POST /urls", { target_url: "https://" }],
    ["body /target_url", "minLength", "target_url must have at least 10 characters."],
    ["body /target_url", "pattern", "target_url does not have the required format."],
  ],
  "a long string": [
    ["POST /posts", { ...POST, title: "a".repeat(201) }],
    ["body /title", "maxLength", "title must have at most 200 characters."],
  ],
  "a string with another format": [
    ["POST /posts", { ...POST, title: "\n" }],
    ["body /title", "pattern", "title does not have the required format."],
  ],
  "an invalid URL": [
    ["POST /urls", { target_url: "https://[www.example.com" }],
    ["body /target_url", "format", "target_url must be a valid uri."],
  ],
  "an impossible date": [
    ["POST /urls", { target_url: "https://www.example.com", expires_at: "2027-02-30T00:00:00Z" }],
    ["body /expires_at", "format", "expires_at must be a valid date-time."],
  ],
  "an invalid id": [
    ["POST /conversations", { member_ids: ["1"] }, KEY],
    ["body /member_ids/0", "format", "member_ids/0 must be a valid uuid."],
  ],
  "an empty list": [
    ["POST /conversations", { member_ids: [] }, KEY],
    ["body /member_ids", "minItems", "member_ids must have at least 1 items."],
  ],
  "a long list": [
    ["POST /conversations", { member_ids: Array.from({ length: 100 }, (_, at) => ID.slice(0, -3) + String(100 + at)) }, KEY],
    ["body /member_ids", "maxItems", "member_ids must have at most 99 items."],
  ],
  "a list with equal items": [
    ["POST /conversations", { member_ids: [ID, ID] }, KEY],
    ["body /member_ids", "uniqueItems", "member_ids must not have equal items."],
  ],
  "an object without fields": [
    [`PATCH /posts/${ID}`, {}],
    ["body ", "minProperties", "The body must have at least 1 field."],
  ],
  "an undeclared value": [
    [`PATCH /notifications/${ID}`, { status: "x" }],
    ["body /status", "enum", "status must be one of unread, read."],
  ],
  "a small number in the query": [["GET /posts?limit=0"], ["query /limit", "minimum", "limit must be at least 1."]],
  "a large number in the query": [["GET /posts?limit=101"], ["query /limit", "maximum", "limit must be at most 100."]],
  "a negative number in the query": [["GET /posts?offset=-1"], ["query /offset", "minimum", "offset must be at least 0."]],
  "a word instead of a number": [["GET /posts?limit=x"], ["query /limit", "type", "limit must be an integer in plain digits."]],
  "an empty parameter": [["GET /posts?limit="], ["query /limit", "type", "limit must be an integer in plain digits."]],
  "an empty filter": [["GET /posts?author="], ["query /author", "minLength", "author must not be empty."]],
  "a repeated parameter": [[`GET /posts?author=${ID}&author=${ID}`], ["query /author", "type", "author must be string."]],
  "an unknown parameter": [["GET /posts?x=1"], ["query /x", "additionalProperties", "x is unknown."]],
  "a parameter with reserved characters": [
    ["GET /posts?author=a:b"],
    ["query /author", "form", "author has characters that must be percent-encoded."],
  ],
  "an unknown sort order": [["GET /posts?sort=x"], ["query /sort", "enum", "sort must be one of -created_at, created_at."]],
  "an invalid id in the path": [["GET /posts/x"], ["path /post_id", "format", "post_id must be a valid uuid."]],
  "a name in the path that is too long": [
    [`GET /video-uploads/${ID}/renditions/${"a".repeat(21)}`],
    ["path /name", "maxLength", "name must have at most 20 characters."],
  ],
  "no Idempotency-Key where it is required": [
    ["POST /conversations", CONVERSATION],
    ["header /idempotency-key", "required", "Idempotency-Key is required."],
  ],
  "a short Idempotency-Key": [
    ["POST /conversations", CONVERSATION, { "Idempotency-Key": "short" }],
    ["header /idempotency-key", "minLength", "Idempotency-Key must have at least 8 characters."],
    ["header /idempotency-key", "pattern", "Idempotency-Key does not have the required format."],
  ],
  "a long If-None-Match": [
    [`GET /posts/${ID}`, undefined, { "If-None-Match": "a".repeat(1001) }],
    ["header /if-none-match", "maxLength", "If-None-Match must have at most 1000 characters."],
  ],
  "an invalid Upload-Complete": [
    ["POST /video-uploads?name=clip.mp4", POST, { "Upload-Complete": "1", "Content-Type": "video/mp4" }],
    ["header /upload-complete", "enum", "Upload-Complete must be one of ?0, ?1."],
  ],
};

const stubbed = prepare(() => startWithHandlers(() => Promise.reject(new Error("An invalid input reached a handler."))));

/**
 * The messages derive from the validator's keyword and the contract. src/http/validation/README.md says which parts of the
 * validator we rely on.
 */
describe("an invalid input", () => {
  it.each(Object.entries(WRONG))("gets 400 in our own words: %s", async (_what, [[request, body, headers = {}], ...errors]) => {
    const [method, path] = request.split(" ") as [string, string];
    const answer = await stubbed.caller(method, path, body, { headers });
    expect({ status: answer.status, errors: answer.body.errors }).toEqual({
      status: 400,
      errors: errors.map(([location, code, detail]) => {
        const [input, pointer] = location.split(" ");
        return { in: input, pointer, code, detail };
      }),
    });
  });
});
