import { JSON_TYPE } from "../../../src/contract/operations.ts";
import { findOperation } from "../../support/contract.ts";
import { ask, exampleRequest } from "../../support/example-requests.ts";
import { missingIds } from "../../support/resources.ts";
import { exchange } from "../../support/socket.ts";
import { witness } from "../../support/witness.ts";
import { everywhere, provoked, type Provocation, type Refusal, type Services } from "./provocation.ts";

/** Sends bytes unchanged, because no HTTP client sends such requests. */
async function onTheWire({ service }: Services, bytes: string): Promise<Refusal> {
  const { answers } = await exchange(service.url, bytes);
  const { status, headers, text, body } = answers[0]!;
  const [, method, path] = /^([A-Z]+) (\/\S*) HTTP/.exec(bytes) ?? [];
  const operation = method === undefined || path === undefined ? null : findOperation(method, path);
  if (operation !== null)
    witness(operation, { status, headers: new Headers([...headers].filter(([name]) => name !== "")), text, head: false });
  return { status, body };
}

/** An upload that sends some of its bytes, and then no more. */
const stalled = ({ people: { owner } }: Services, method: string, path: string, headers: string, bytes = ""): string =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${owner.authorization}\r\n${headers}Content-Length: 999\r\n\r\n${bytes}`;

/**
 * The service refuses most of these requests before they reach an operation, so all operations declare the problems in
 * `default`.
 */
export const protocolProvocations: readonly Provocation[] = [
  provoked("listPosts", "malformed_request", (services) => onTheWire(services, "Good morning\r\n\r\n")),
  provoked("listPosts", "request_timeout", (services) => onTheWire(services, "GET /posts HTTP/1.1\r\nHost: x\r\n"), {
    waits: true,
  }),
  provoked(
    "createVideoUpload",
    "request_timeout",
    (services) =>
      onTheWire(
        services,
        stalled(services, "POST", "/video-uploads", "Content-Type: application/octet-stream\r\n", "not a video"),
      ),
    { waits: true, varies: /\d+(?= s)/ },
  ),
  provoked(
    "updateUploadTransfer",
    "request_timeout",
    async (services) => {
      const { owner } = services.people;
      const begun = await owner("POST", "/video-uploads", undefined, { headers: { "Upload-Complete": "?0" } });
      const headers = "Content-Type: application/partial-upload\r\nUpload-Offset: 0\r\nUpload-Complete: ?0\r\n";
      return onTheWire(services, stalled(services, "PATCH", begun.headers.get("location")!, headers, "not a video"));
    },
    { waits: true },
  ),
  provoked("listPosts", "headers_too_large", (services) =>
    onTheWire(services, `GET /posts HTTP/1.1\r\nHost: x\r\nCookie: ${"x".repeat(17_000)}\r\n\r\n`),
  ),
  provoked("listPosts", "uri_too_long", ({ people }) => people.owner("GET", `/posts?${"x".repeat(8_200)}`)),
  provoked("listPosts", "route_not_found", ({ people }) => people.owner("GET", "/posts/")),
  provoked("getPost", "method_not_allowed", ({ people }) =>
    people.owner("POST", "/posts/01a1efac-3ed3-7e8e-9855-dcb0c0290103", {}),
  ),
  provoked("getPost", "not_acceptable", ({ people }) =>
    people.owner("GET", "/posts", undefined, { headers: { Accept: "text/html" } }),
  ),
  // Only JSON responses are negotiated.
  ...everywhere(
    "not_acceptable",
    ({ people }, operation) => ask(people.owner, exampleRequest(operation, missingIds(operation)), { Accept: "text/html" }),
    { only: (it) => it.produces === JSON_TYPE },
  ),
];
