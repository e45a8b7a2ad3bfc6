import type { RequestHandler } from "express";
import { Failure } from "../failure.ts";
import { corsHeaders, type Origins } from "./common-headers.ts";

/** The cross-origin requests to a path that a browser can send. */
type CorsPolicy = {
  readonly origins: Origins;
  readonly allowedHeaders: readonly string[];
  readonly maxAgeSeconds?: number;
};

/** Handles all other methods of a resource: OPTIONS, which can be a CORS preflight, and 405. */
export function createOtherMethods(
  served: readonly string[],
  { origins, allowedHeaders, maxAgeSeconds }: CorsPolicy,
): RequestHandler {
  const methods = served.flatMap((it) => (it === "get" ? ["GET", "HEAD"] : [it.toUpperCase()]));
  const allowed = [...methods, "OPTIONS"];
  // The response to a preflight (Fetch, 3.3.2).
  const policy = {
    Allow: allowed.join(", "),
    "Access-Control-Allow-Methods": methods.join(","),
    ...(allowedHeaders.length > 0 ? { "Access-Control-Allow-Headers": allowedHeaders.join(",") } : {}),
    ...(maxAgeSeconds === undefined ? {} : { "Access-Control-Max-Age": String(maxAgeSeconds) }),
    // Some browsers wait for a body if a 204 has no length.
    "Content-Length": "0",
  };
  return (req, res) => {
    if (req.method === "OPTIONS") {
      const headers = { ...corsHeaders(origins, req.headers.origin), ...policy };
      return void res.status(204).set(headers).end();
    }
    const detail = `${req.method} is not supported here. Supported methods: ${allowed.join(", ")}.`;
    throw new Failure("method_not_allowed", detail, { methods: allowed });
  };
}
