import { problems } from "#generated/problems.ts";
import type { Schemas } from "../contract/contract.ts";
import type { Operation } from "../contract/operations.ts";
import type { Failure } from "../failure.ts";
import { prefersPage } from "./accept.ts";
import { hasBody, willSendBody } from "./body.ts";
import { deadLinkPage } from "./documents/pages.ts";
import type { ResponseHeaders } from "./common-headers.ts";
import type { Exchange } from "./exchange.ts";
import { sendText, writeHead } from "./send-text.ts";

type Problem = Schemas["Problem"];

/** The status that the contract defines for the code of a failure. */
export function statusOf(failure: Failure): number {
  return problems[failure.code].status;
}

/** The problem details of a failure (RFC 9457): the only format of error responses. */
export function problemOf(failure: Failure, requestId: string, prefix: string): Problem {
  const { status, title } = problems[failure.code];
  const { errors = [] } = failure.data;
  return {
    type: `${prefix}/problems/${failure.code}`,
    title,
    status,
    detail: failure.detail.slice(0, 1_000).toWellFormed(),
    code: failure.code,
    request_id: requestId,
    ...(errors.length > 0 ? { errors: errors.slice(0, 50) } : {}),
  };
}

/** The headers of an error response, in addition to the common headers. */
export function problemHeaders({ code, data }: Failure): Readonly<Record<string, string>> {
  const { retryAfterSeconds, methods, mediaTypes, contentCodings, scopes, sizeBytes, upload, consistencyToken } = data;
  const error = CHALLENGES[code];
  const headers: Record<string, string | undefined> = {
    "WWW-Authenticate":
      error === undefined ? undefined : `Bearer realm="plumbline"${error}${scopes ? `, scope="${scopes.join(" ")}"` : ""}`,
    "Retry-After": retryAfterSeconds?.toString(),
    Allow: methods?.join(", "),
    Accept: mediaTypes?.join(", "),
    "Accept-Encoding": contentCodings?.join(", "),
    "Content-Range": sizeBytes === undefined ? undefined : `bytes */${sizeBytes}`,
    "Upload-Offset": upload?.offset.toString(),
    "Upload-Complete": upload && (upload.isComplete ? "?1" : "?0"),
    "Consistency-Token": consistencyToken,
    // After a malformed request, the start of the next one is uncertain.
    Connection: code === "malformed_request" ? "close" : undefined,
  };
  const defined: Record<string, string> = {};
  for (const name in headers) if (headers[name] !== undefined) defined[name] = headers[name];
  return defined;
}

/** The `error` of a challenge (RFC 6750, 3). A request without a credential has none. */
const CHALLENGES: Readonly<Partial<Record<Failure["code"], string>>> = {
  unauthenticated: "",
  invalid_token: ', error="invalid_token"',
  insufficient_scope: ', error="insufficient_scope"',
};

/** The body of a problem, with its headers. */
type Representation = { readonly body: string; readonly headers: Readonly<Record<string, string>> };

/** The problem details, or a page for a browser, if the contract declares one for the status. */
function representationOf({ req, requestId, common, record }: Exchange, failure: Failure, prefix: string): Representation {
  const details = JSON.stringify(problemOf(failure, requestId, prefix));
  const type = { "Content-Type": "application/problem+json; charset=utf-8" };
  if (record.operation?.pageStatuses.includes(statusOf(failure)) !== true) return { body: details, headers: type };
  const varied = { Vary: [common.headers["Vary"], "Accept"].filter((it) => it !== undefined).join(", ") };
  if (!prefersPage(req.headers.accept)) return { body: details, headers: { ...type, ...varied } };
  const { html, policy } = deadLinkPage(failure.code);
  const headers = { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy, ...varied };
  return { body: html, headers };
}

/** Headers of the content that a problem replaces. */
const CONTENT_HEADERS = [
  "ETag",
  "Location",
  "Content-Type",
  "Content-Length",
  "Content-Range",
  "Content-Disposition",
  "Accept-Ranges",
];

/** The path prefix of the service, and the `Upload-Limit` of uploads. */
export type ProblemOptions = { readonly prefix: string; readonly uploadLimit: string };

const takesUploads = (operation: Operation | null) => operation?.responseHeaders.includes("Upload-Limit") === true;

/** Responds with a problem, instead of any response whose headers have not been sent. */
export function sendProblem(exchange: Exchange, failure: Failure, { prefix, uploadLimit }: ProblemOptions): void {
  const { req, res } = exchange;
  if (res.headersSent) return void res.destroy();
  for (const name of CONTENT_HEADERS) res.removeHeader(name);
  const { body, headers: ofBody } = representationOf(exchange, failure, prefix);
  const status = statusOf(failure);
  // A 401 with these headers is for a user who was deleted during the request.
  if (status === 401) for (const name of ["RateLimit", "RateLimit-Policy", "Location"]) delete exchange.headers[name];
  const limit = status === 413 && takesUploads(exchange.record.operation) ? { "Upload-Limit": uploadLimit } : {};
  const headers = { ...exchange.headers, "Cache-Control": "no-store", ...problemHeaders(failure), ...limit, ...ofBody };
  if (hasBody(req) && !req.complete) sendBeforeBody(exchange, status, { ...headers, Connection: "close" }, body);
  else sendText(exchange, status, headers, body);
}

/** How long a client can continue to send a refused body. */
const LINGER_MS = 2_000;

/**
 * Responds before the body has been read, and discards the rest of the body for a while. An immediate close would reset the connection, and
 * a client that is still sending would lose the response (RFC 9112, 9.6).
 */
function sendBeforeBody(exchange: Exchange, status: number, headers: ResponseHeaders, body: string): void {
  const { req, res } = exchange;
  if (!willSendBody(req)) return sendText(exchange, status, headers, body);
  writeHead(exchange, status, { ...headers, "Content-Length": Buffer.byteLength(body) });
  const end = () => {
    clearTimeout(timer);
    res.end();
  };
  const timer = setTimeout(end, LINGER_MS).unref();
  res.write(body);
  req.once("end", end).once("close", end).resume();
}
