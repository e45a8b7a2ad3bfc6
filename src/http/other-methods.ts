import type { RequestHandler } from "express";
import type { Operation } from "../contract/operations.ts";
import { Failure } from "../failure.ts";

/** The request headers that a script can send to every path. */
const ALWAYS_ALLOWED = [
  ...["Authorization", "Content-Type", "X-Request-Id", "Consistency-Token", "Idempotency-Key"],
  // Of tracing. Libraries add them to all requests of a page.
  ...["traceparent", "tracestate", "baggage", "sentry-trace"],
];
const PREFLIGHT_MAX_AGE_SECONDS = 600;

type Headers = Readonly<Record<string, string>>;

/** Headers of the response to a preflight of some operations (Fetch, 3.3.2). */
export function preflightHeaders(operations: readonly Operation[]): Headers {
  const allowed = new Set([...ALWAYS_ALLOWED, ...operations.flatMap((it) => it.headerParameters)]);
  return {
    "Access-Control-Allow-Headers": [...allowed].join(","),
    "Access-Control-Max-Age": String(PREFLIGHT_MAX_AGE_SECONDS),
  };
}

/**
 * The types of patches of a resource (RFC 5789, 3.1). Where a resumable upload begins, also that of its parts, and its limits
 * (draft-ietf-httpbis-resumable-upload, 4.1.4).
 */
export function patchHeaders(group: readonly Operation[], uploadLimit: string): Headers {
  const takesUploads = group.some((it) => it.headerParameters.includes("Upload-Complete"));
  const patches = group.filter((it) => it.method === "patch").flatMap((it) => it.bodies);
  const types = new Set([...patches, ...(takesUploads ? ["application/partial-upload"] : [])]);
  return {
    ...(types.size > 0 ? { "Accept-Patch": [...types].join(", ") } : {}),
    ...(takesUploads ? { "Upload-Limit": uploadLimit } : {}),
  };
}

const methodsOf = (served: readonly string[]) => served.flatMap((it) => (it === "get" ? ["GET", "HEAD"] : [it.toUpperCase()]));

/** Handles all other methods of a resource: OPTIONS, which can be a CORS preflight, and 405. */
export function createOtherMethods(served: readonly string[], options: Headers): RequestHandler {
  const methods = methodsOf(served);
  const allowed = [...methods, "OPTIONS"];
  const sendOptions = createOptions(methods, { Allow: allowed.join(", "), ...options });
  return (req, res, next) => {
    if (req.method === "OPTIONS") return sendOptions(req, res, next);
    const detail = `${req.method} is not supported here. Supported methods: ${allowed.join(", ")}.`;
    throw new Failure("method_not_allowed", detail, { methods: allowed });
  };
}

const createOptions =
  (methods: readonly string[], headers: Headers): RequestHandler =>
  (_req, res) =>
    // Some browsers wait for a body if a 204 has no length.
    void res
      .status(204)
      .set({ "Access-Control-Allow-Methods": methods.join(","), "Content-Length": "0", ...headers })
      .end();

/** Handles requests to unknown paths. Allows a preflight, because otherwise a browser hides the 404 of the request behind it. */
export function createUnknownPaths(operations: readonly Operation[], prefix: string): RequestHandler {
  const served = [...new Set(operations.map(({ method }) => method))];
  const preflight = preflightHeaders(operations);
  const allowPreflight = createOptions(methodsOf(served), preflight);
  const ofServer = createOtherMethods(served, preflight);
  return (req, res, next) => {
    // The target of `OPTIONS *` is the server (RFC 9110, 9.3.7).
    if (req.method === "OPTIONS" && req.path === "*") return ofServer(req, res, next);
    if (req.method === "OPTIONS" && req.headers["access-control-request-method"] !== undefined)
      return allowPreflight(req, res, next);
    throw new Failure(
      "route_not_found",
      `There is nothing at ${req.path.slice(0, 200)}. See ${prefix}/docs for the available paths.`,
    );
  };
}
