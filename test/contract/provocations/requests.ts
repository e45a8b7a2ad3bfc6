import type { Operation } from "../../../src/contract/operations.ts";
import type { Answer, Client } from "../../support/client.ts";
import { ask, exampleRequest, pathWith, type ExampleRequest } from "../../support/example-requests.ts";
import { rawRequest } from "../../support/raw-http.ts";
import { BYTES, createResources, missingIds } from "../../support/resources.ts";
import { contentDigestOf } from "../../support/digests.ts";
import { findProblemExample } from "../support/problem-examples.ts";
import { everywhere, provoked, takesJson, type Provocation, type Refusal, type Services } from "./provocation.ts";

const json = (request: ExampleRequest, body: string): ExampleRequest => ({
  ...request,
  body,
  headers: { ...request.headers, "Content-Type": "application/json" },
});
const requestOf = (operation: Operation) => exampleRequest(operation, missingIds(operation));

/** Requests a list with this query. Its parent exists. */
async function list({ people }: Services, operation: Operation, query: string): Promise<Answer> {
  return people.owner("GET", `${pathWith(operation, await createResources(operation, people))}?${query}`);
}

/** Announces an upload of this length, and waits for 100 Continue instead of sending the bytes. */
async function announce(
  client: Client,
  url: string,
  { method, path, headers }: ExampleRequest,
  length: number,
): Promise<Refusal> {
  const { status, text } = await rawRequest(client, url, {
    method,
    path,
    headers: { ...headers, "Content-Length": String(length), Expect: "100-continue" },
    untilAsked: true,
  });
  return { status, body: JSON.parse(text) };
}

/** The part of the request that the example of an operation complains about. */
function complaintOf(operation: Operation): string {
  const [error] = findProblemExample(operation.id, "validation_failed").value.errors;
  return error.in === "path" ? "path" : `${error.in} ${error.pointer}`;
}

/** The request with a first id that no resource can have. */
const notAnId = (request: ExampleRequest): ExampleRequest => ({
  ...request,
  path: request.path.replace(/^(\/[a-z-]+)\/[^/]+/, "$1/not+an+id"),
});

const withNickname = (request: ExampleRequest): ExampleRequest => ({
  ...request,
  body: { ...(request.body as object), nickname: "Roof" },
});

const isList = ({ nextPageParameter }: Operation) => nextPageParameter !== null;
const CURSOR_OF_MESSAGES = "AVwkF5w92fc4F85uEY0mSq1stt0hD6-UrNPPksGQfLEf";
const MESSAGE_ID = "01a1e83e-2f64-73b0-a35c-00a15ed8abcc";
const TWO_GIB = 2 ** 31;

/** The request is invalid: its parameters, headers or body. */
export const requestProvocations: readonly Provocation[] = [
  ...everywhere("validation_failed", (services, operation) => list(services, operation, "limit=101"), {
    only: (it) => isList(it) && it.id !== "listPosts",
  }),
  provoked("listPosts", "validation_failed", ({ people }) => people.owner("GET", "/posts?offset=10001")),
  // What is wrong with the request is what the example says.
  ...everywhere("validation_failed", ({ people }, operation) => ask(people.owner, notAnId(requestOf(operation))), {
    only: (it) => complaintOf(it) === "path",
  }),
  ...everywhere("validation_failed", ({ people }, operation) => ask(people.owner, withNickname(requestOf(operation))), {
    only: (it) => complaintOf(it) === "body /nickname",
  }),
  provoked("findUsers", "validation_failed", ({ people }) => people.owner("GET", "/users?name=t")),
  provoked("getAccount", "validation_failed", ({ people }) => people.owner("GET", "/account?verbose=1")),
  provoked("createVideoUpload", "validation_failed", ({ people }) =>
    people.owner("POST", "/video-uploads", BYTES, { headers: { "Content-Digest": "md5=:1B2M2Y8AsgTpgAmY7PhCfg==:" } }),
  ),

  ...everywhere("invalid_cursor", (services, operation) => list(services, operation, `after=${CURSOR_OF_MESSAGES}`), {
    only: (it) => it.nextPageParameter === "after",
  }),
  ...everywhere("invalid_cursor", (services, operation) => list(services, operation, `before=${MESSAGE_ID}`), {
    only: (it) => it.nextPageParameter === "before",
  }),
  provoked("listPosts", "conflicting_parameters", ({ people }) =>
    people.owner("GET", `/posts?offset=0&after=${CURSOR_OF_MESSAGES}`),
  ),
  ...everywhere(
    "conflicting_parameters",
    (services, operation) => list(services, operation, `before=${CURSOR_OF_MESSAGES}&after=${CURSOR_OF_MESSAGES}`),
    { only: (it) => it.nextPageParameter === "before" },
  ),

  ...everywhere("idempotency_key_required", ({ people }, operation) =>
    ask(people.owner, { ...requestOf(operation), headers: {} }),
  ),
  ...everywhere("malformed_body", ({ people }, operation) => ask(people.owner, json(requestOf(operation), '{"title": "How we')), {
    only: takesJson,
  }),
  provoked("createVideoUpload", "malformed_body", ({ people }) => people.owner("POST", "/video-uploads", Buffer.alloc(0))),

  ...everywhere(
    "content_too_large",
    ({ people }, operation) => ask(people.owner, json(requestOf(operation), " ".repeat(131_073))),
    { only: takesJson },
  ),
  ...everywhere(
    "content_too_large",
    ({ people, service }, operation) => announce(people.owner, service.url, requestOf(operation), TWO_GIB + 1),
    { only: (it) => !takesJson(it) },
  ),
  ...everywhere("unsupported_media_type", ({ people }, operation) =>
    ask(people.owner, requestOf(operation), { "Content-Type": "image/jpeg" }),
  ),
  provoked("createVideoUpload", "digest_mismatch", ({ people }) =>
    people.owner("POST", "/video-uploads", BYTES.subarray(1), { headers: { "Content-Digest": contentDigestOf(BYTES) } }),
  ),
];
